package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.loop.engine.FileBody;
import sluice.loop.engine.SendVector;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// What was staged leaves in order and whole, whatever the kernel takes at a time; then nothing is
/// held for it.
class OutputTest {
  private final Account blocks = new Account("blocks", Long.MAX_VALUE);
  private int openFiles;

  private Block block(byte[] bytes) {
    Block block = Objects.requireNonNull(Block.allocate(blocks, bytes.length));
    MemorySegment.copy(bytes, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
    return block;
  }

  private static byte[] random(Random random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private final class TestFile implements FileBody {
    private final byte[] content;
    private final int fd;
    private final boolean resident;
    private final long tail;
    boolean changed;

    TestFile(byte[] content, int fd, boolean resident, long tail) {
      this.content = content;
      this.fd = fd;
      this.resident = resident;
      this.tail = tail;
      openFiles++;
    }

    @Override
    public int fd() {
      return fd;
    }

    @Override
    public int read(long position, MemorySegment target, long offset, int length) {
      int count = (int) Math.min(length, content.length - position);
      MemorySegment.copy(content, (int) position, target, ValueLayout.JAVA_BYTE, offset, count);
      return count;
    }

    @Override
    public boolean resident(long position, long length) {
      return resident;
    }

    @Override
    public boolean unchanged() {
      return !changed;
    }

    @Override
    public long copiedTailBytes() {
      return tail;
    }

    @Override
    public void release() {
      openFiles--;
    }
  }

  private static LoopRig rig() throws IOException {
    return new LoopRig((connection, input) -> input.length());
  }

  @Test
  void moreRangesThanASendTakes() throws IOException {
    Random random = new Random(1);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (LoopRig rig = rig()) {
      Connection connection = rig.open();
      for (int i = 0; i < 5 * SendVector.LIMIT; i++) {
        byte[] bytes = random(random, i % 2 == 0 ? 100 : Output.COPY_LIMIT_BYTES + 1);
        Block block = block(bytes);
        connection.output().append(block, 0, bytes.length);
        block.release();
        expected.writeBytes(bytes);
      }
      assertThat(connection.output().queuedBytes()).isEqualTo(expected.size());
      assertThat(blocks.usedBytes()).isPositive();
      rig.turns(20);
      assertThat(rig.wire(connection)).isEqualTo(expected.toByteArray());
      assertThat(rig.engine.longestVector()).isEqualTo(SendVector.LIMIT);
      assertThat(rig.engine.sends()).isEqualTo(5);
      assertThat(connection.output().queuedBytes()).isZero();
      assertThat(connection.output().isEmpty()).isTrue();
    }
    assertThat(blocks.usedBytes()).isZero();
  }

  @Test
  void smallPiecesOfATurnAreOneRange() throws IOException {
    try (LoopRig rig = rig()) {
      Connection connection = rig.open();
      for (int i = 0; i < 100; i++) {
        connection.output().put((byte) i);
        connection.output().put(new byte[] {1, 2, 3}, 1, 1);
      }
      rig.turns(1);
      assertThat(rig.engine.sends()).isEqualTo(1);
      assertThat(rig.engine.longestVector()).isEqualTo(1);
      assertThat(rig.wire(connection)).hasSize(200).startsWith(0, 2, 1, 2, 2, 2);
    }
  }

  @Test
  void filesBetweenMemory() throws IOException {
    Random random = new Random(2);
    byte[] content = random(random, 10_000);
    try (LoopRig rig = rig()) {
      rig.engine.file(5, content);
      Connection connection = rig.open();
      connection.output().put(new byte[] {1});
      connection.output().file(new TestFile(content, 5, true, 0), 100, 5_000);
      connection.output().put(new byte[] {2});
      connection.output().file(new TestFile(content, -1, true, 0), 0, 3);
      connection.output().file(new TestFile(content, 5, true, 0), 7, 0);
      connection.output().file(new TestFile(content, 5, false, 0), 9_990, 10);
      connection.output().put(new byte[] {3});
      rig.turns(20);
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      expected.write(1);
      expected.write(content, 100, 5_000);
      expected.write(2);
      expected.write(content, 0, 3);
      expected.write(content, 9_990, 10);
      expected.write(3);
      assertThat(rig.wire(connection)).isEqualTo(expected.toByteArray());
      assertThat(openFiles).isZero();
    }
  }

  @Test
  void changedFileEndsTheConnection() throws IOException {
    byte[] content = random(new Random(3), 10_000);
    try (LoopRig rig = rig()) {
      rig.engine.file(5, content);
      rig.engine.taking(length -> Math.min(length, 1_000));
      Connection connection = rig.open();
      TestFile file = new TestFile(content, 5, true, 0);
      connection.output().file(file, 0, content.length);
      file.changed = true;
      rig.turns(5);
      assertThat(connection.finished()).isTrue();
      assertThat(rig.wire(connection).length).isLessThanOrEqualTo(1_000);
      assertThat(openFiles).isZero();
    }
  }

  @Test
  void rangesOutsideABlockAreRefused() throws IOException {
    try (LoopRig rig = rig()) {
      Connection connection = rig.open();
      Block block = block(new byte[10_000]);
      assertThatThrownBy(() -> connection.output().append(block, 5_000, 5_001))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> connection.output().append(block, -1, 5_000))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> connection.output().append(block, 0, -1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> connection.output().append(block, 9_999, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      byte[] array = new byte[10];
      assertThatThrownBy(() -> connection.output().put(array, 5, 6))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> connection.output().put(array, 5, -1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> connection.output().put(block.segment(), 9_999, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(connection.output().queuedBytes()).isZero();
      assertThat(block.leases()).isEqualTo(1);
      block.release();
    }
  }

  /// Those that stop a process and let it go on do so, without any handler.
  @ParameterizedTest
  @ValueSource(ints = {0, 1_000})
  void aSendThatWaitsGoesOnAfterASignal(int takenBefore) throws IOException {
    byte[] bytes = random(new Random(5), 50_000);
    ArrayDeque<Integer> results =
        new ArrayDeque<>(List.of(-Errno.EAGAIN, takenBefore, -Errno.EINTR, 7, -Errno.EINTR));
    try (LoopRig rig = rig()) {
      rig.engine.taking(length -> results.isEmpty() ? length : results.remove());
      Connection connection = rig.open();
      connection.output().put(bytes);
      rig.turns(10);
      assertThat(results).isEmpty();
      assertThat(connection.finished()).isFalse();
      assertThat(connection.output().queuedBytes()).isZero();
      assertThat(rig.wire(connection)).isEqualTo(bytes);
    }
  }

  @Test
  void abortedOutputLetsGoOfEverything() throws IOException {
    byte[] bytes = random(new Random(4), 50_000);
    try (LoopRig rig = rig()) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      Connection connection = rig.open();
      Block block = block(bytes);
      connection.output().put(bytes);
      connection.output().append(block, 0, bytes.length);
      connection.output().file(new TestFile(bytes, 5, true, 0), 0, bytes.length);
      block.release();
      rig.turns(3);
      assertThat(connection.sendState).isEqualTo(Connection.Send.WAITING);
      assertThat(rig.loop.heldBytes()).isEqualTo(bytes.length);
      connection.abort();
      rig.turns(3);
      assertThat(rig.loop.connectionCount()).isZero();
      assertThat(rig.loop.heldBytes()).isZero();
      assertThat(blocks.usedBytes()).isZero();
      assertThat(openFiles).isZero();
    }
  }

  @Test
  void outputBeyondTheAccountEndsTheConnection() throws IOException {
    LoopConfig config = new LoopConfig(100, 4096, 100_000, 1 << 20, 1L << 40, 1L << 30);
    try (LoopRig rig = new LoopRig((connection, input) -> input.length(), config)) {
      rig.engine.taking(length -> 0);
      Connection connection = rig.open();
      connection.output().put(new byte[200_000]);
      rig.turns(3);
      assertThat(connection.finished()).isTrue();
      assertThat(rig.loop.counters().overBudgetConnections()).isEqualTo(1);
      assertThat(rig.loop.heldBytes()).isZero();
    }
  }

  /// Random pieces of every kind, over many turns, taken in random counts.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void arrivesWholeAndInOrder(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] content = random(random, 400_000);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (LoopRig rig = rig()) {
      rig.engine.file(5, content);
      rig.engine.taking(length ->
          switch (random.nextInt(4)) {
            case 0 -> length;
            case 1 -> random.nextInt(length + 1);
            case 2 -> -Errno.EINTR;
            default -> -Errno.EAGAIN;
          });
      Connection connection = rig.open();
      for (int turn = 0; turn < 150; turn++) {
        for (int piece = random.nextInt(connection.outputFull() ? 1 : 4); piece > 0; piece--) {
          stage(connection.output(), random, content, expected);
        }
        rig.turns(1);
      }
      rig.engine.taking(length -> length);
      rig.turns(2_000);
      assertThat(connection.output().queuedBytes()).isZero();
      assertThat(Arrays.mismatch(rig.wire(connection), expected.toByteArray())).isEqualTo(-1);
      assertThat(rig.loop.heldBytes()).isZero();
    }
    assertThat(openFiles).isZero();
    assertThat(blocks.usedBytes()).isZero();
  }

  private void stage(Output output, Random random, byte[] content, ByteArrayOutputStream expected) {
    int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 300_000 : 5_000);
    int from = random.nextInt(content.length - count);
    switch (random.nextInt(4)) {
      case 0 -> output.put(content, from, count);
      case 1 -> {
        Block block = block(content);
        output.append(block, from, count);
        block.release();
      }
      case 2 -> {
        Block block = block(content);
        output.put(block.segment(), from, count);
        block.release();
      }
      default -> {
        long tail = random.nextBoolean() ? random.nextInt(count) : 0;
        int fd = random.nextInt(3) == 0 ? -1 : 5;
        output.file(new TestFile(content, fd, random.nextBoolean(), tail), from, count);
      }
    }
    expected.write(content, from, count);
  }
}
