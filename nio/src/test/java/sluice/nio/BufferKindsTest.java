package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Every kind of buffer, and the positions it is left with.
class BufferKindsTest extends Scenario {
  static Stream<Arguments> kinds() {
    return Stream.of(
        kind("heap", ByteBuffer::allocate),
        kind("direct", ByteBuffer::allocateDirect),
        kind("heap slice", n -> ByteBuffer.allocate(n + 13).slice(7, n)),
        kind("direct slice", n -> ByteBuffer.allocateDirect(n + 13).slice(7, n)),
        kind("little endian", n -> ByteBuffer.allocateDirect(n).order(ByteOrder.LITTLE_ENDIAN)),
        kind("duplicate", n -> ByteBuffer.allocate(n).duplicate()),
        kind("global segment", n -> Arena.ofAuto().allocate(n).asByteBuffer()),
        kind("confined segment", n -> Arena.ofConfined().allocate(n).asByteBuffer()),
        kind("shared segment", n -> Arena.ofShared().allocate(n).asByteBuffer()),
        kind(
            "heap segment",
            n -> java.lang.foreign.MemorySegment.ofArray(new byte[n]).asByteBuffer()));
  }

  private static Arguments kind(String name, IntFunction<ByteBuffer> allocate) {
    return Arguments.argumentSet(name, allocate);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void bytesBetweenPositionAndLimitTravel(IntFunction<ByteBuffer> allocate) throws Exception {
    Pair pair = pair();
    byte[] bytes = pattern(5000);
    ByteBuffer out = allocate.apply(5100);
    out.put(50, bytes).position(50).limit(5050);
    writeFully(pair.near(), out);
    assertThat(out.position()).isEqualTo(5050);
    assertThat(out.limit()).isEqualTo(5050);
    ByteBuffer in = allocate.apply(5100);
    in.put(0, (byte) 9).put(5099, (byte) 9).position(20).limit(5020);
    while (in.hasRemaining()) {
      int before = in.position();
      int count = pair.far().read(in);
      assertThat(count).isPositive();
      assertThat(in.position()).isEqualTo(before + count);
    }
    byte[] received = new byte[5000];
    in.get(20, received);
    assertThat(received).isEqualTo(bytes);
    assertThat(in.get(0)).isEqualTo((byte) 9);
    assertThat(in.clear().get(5099)).isEqualTo((byte) 9);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theSameWhileSelected(IntFunction<ByteBuffer> allocate) throws Exception {
    Selector selector = selector();
    Pair pair = pair();
    register(pair.near(), selector, SelectionKey.OP_READ);
    SelectionKey key = register(pair.far(), selector, SelectionKey.OP_READ);
    selector.selectNow();
    byte[] bytes = pattern(3000);
    writeFully(pair.near(), allocate.apply(3000).put(bytes).flip());
    ByteBuffer in = allocate.apply(3000);
    while (in.hasRemaining()) {
      awaitReady(selector, key, SelectionKey.OP_READ);
      assertThat(pair.far().read(in)).isNotNegative();
    }
    byte[] received = new byte[3000];
    in.get(0, received);
    assertThat(received).isEqualTo(bytes);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void datagramsToo(IntFunction<ByteBuffer> allocate) throws Exception {
    var one = boundDatagram();
    var two = boundDatagram();
    byte[] bytes = pattern(900);
    assertThat(one.send(allocate.apply(900).put(bytes).flip(), two.getLocalAddress()))
        .isEqualTo(900);
    ByteBuffer in = allocate.apply(1000).position(10);
    assertThat(two.receive(in)).isEqualTo(one.getLocalAddress());
    assertThat(in.position()).isEqualTo(910);
    byte[] received = new byte[900];
    in.get(10, received);
    assertThat(received).isEqualTo(bytes);
  }

  @Test
  void readOnlyBuffersAreForWriting() throws Exception {
    Pair pair = pair();
    for (ByteBuffer buffer : Arrays.asList(ByteBuffer.allocate(4), ByteBuffer.allocateDirect(4))) {
      ByteBuffer readOnly = buffer.asReadOnlyBuffer();
      assertThat(pair.near().write(readOnly)).isEqualTo(4);
      assertThat(readOnly.hasRemaining()).isFalse();
      readOnly.clear();
      assertThatThrownBy(() -> pair.far().read(readOnly))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> pair.far().read(new ByteBuffer[] {readOnly}))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(readFully(pair.far(), 4)).hasSize(4);
    }
  }

  @Test
  void noRoomReadsNothing() throws Exception {
    Link link = link();
    send(link.far(), "abc");
    for (ByteBuffer full : Arrays.asList(ByteBuffer.allocate(0), ByteBuffer.allocateDirect(0))) {
      assertThat(link.near().read(full)).isZero();
    }
    assertThat(link.near().read(new ByteBuffer[] {ByteBuffer.allocate(0)})).isZero();
    assertThat(link.near().read(new ByteBuffer[0])).isZero();
    assertThat(text(readFully(link.near(), 3))).isEqualTo("abc");
    assertThat(link.near().write(ByteBuffer.allocate(0))).isZero();
    assertThat(link.near().write(new ByteBuffer[0])).isZero();
  }

  @Test
  void aClosedArenaIsNoticed() throws Exception {
    Pair pair = pair();
    ByteBuffer dead;
    try (Arena arena = Arena.ofConfined()) {
      dead = arena.allocate(16).asByteBuffer();
    }
    assertThatThrownBy(() -> pair.near().write(dead)).isInstanceOf(IllegalStateException.class);
    writeFully(pair.far(), text("x"));
    assertThatThrownBy(() -> pair.near().read(dead)).isInstanceOf(IllegalStateException.class);
    assertThat(text(readFully(pair.near(), 1))).isEqualTo("x");
  }

  @Test
  void anotherThreadsConfinedArenaIsRefused() throws Exception {
    Pair pair = pair();
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer mine = arena.allocate(16).asByteBuffer();
      assertThat(Task.start(() -> pair.near().write(mine)).failure())
          .isInstanceOf(WrongThreadException.class);
      writeFully(pair.far(), text("x"));
      assertThat(Task.start(() -> pair.near().read(mine)).failure())
          .isInstanceOf(WrongThreadException.class);
      assertThat(mine.position()).isZero();
      assertThat(pair.near().read(mine)).isEqualTo(1);
    }
  }

  @Test
  void anArenaIsNotClosedUnderABlockedRead() throws Exception {
    Pair pair = pair();
    Arena arena = Arena.ofShared();
    ByteBuffer buffer = arena.allocate(16).asByteBuffer();
    Task<Integer> reading = Task.start(() -> pair.near().read(buffer));
    reading.awaitBlocked("read");
    boolean refused = isRefused(arena::close);
    writeFully(pair.far(), text("x"));
    if (refused) {
      assertThat(reading.join()).isEqualTo(1);
      arena.close();
    } else {
      assertThat(reading.failure()).isInstanceOf(IllegalStateException.class);
    }
  }

  private static boolean isRefused(Runnable close) {
    try {
      close.run();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Test
  @SuppressWarnings("NullAway") // asks for the exceptions
  void nullIsRefused() throws Exception {
    Pair pair = pair();
    assertThatThrownBy(() -> pair.near().read((ByteBuffer) null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> pair.near().write((ByteBuffer) null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> pair.near().write(new ByteBuffer[] {null}))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> pair.near().read(new ByteBuffer[] {null}))
        .isInstanceOf(NullPointerException.class);
  }
}
