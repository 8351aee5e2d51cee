package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Several buffers in one call.
class ScatterGatherTest extends Scenario {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyBuffersOfAllKindsKeepTheirOrder(boolean selected) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    Pair pair = pair();
    if (selected) {
      Selector selector = selector();
      register(pair.near(), selector, SelectionKey.OP_READ);
      register(pair.far(), selector, SelectionKey.OP_READ);
      selector.selectNow();
    }
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    ByteBuffer[] out = new ByteBuffer[40];
    for (int i = 0; i < out.length; i++) {
      byte[] bytes = new byte[random.nextInt(3) * random.nextInt(700)];
      random.nextBytes(bytes);
      sent.writeBytes(bytes);
      out[i] = random.nextBoolean() ? ByteBuffer.wrap(bytes) : direct(bytes);
      if (random.nextInt(4) == 0) {
        out[i] = out[i].asReadOnlyBuffer();
      }
    }
    Task<byte[]> reading = Task.start(() -> readFully(pair.far(), sent.size()));
    long left = sent.size();
    while (left > 0) {
      left -= pair.near().write(out);
    }
    assertThat(reading.join()).as("seed %s", seed).isEqualTo(sent.toByteArray());
    for (ByteBuffer buffer : out) {
      assertThat(buffer.hasRemaining()).isFalse();
    }
  }

  @Test
  void moreBuffersThanTheKernelTakes() throws Exception {
    Pair pair = pair();
    ByteBuffer[] out = new ByteBuffer[3000];
    for (int i = 0; i < out.length; i++) {
      out[i] = ByteBuffer.wrap(new byte[] {(byte) i, (byte) (i >> 8)});
    }
    long written = 0;
    while (written < 6000) {
      long count = pair.near().write(out);
      assertThat(count).isPositive();
      written += count;
    }
    ByteBuffer[] in = new ByteBuffer[6000];
    for (int i = 0; i < in.length; i++) {
      in[i] = ByteBuffer.allocate(1);
    }
    long read = 0;
    while (read < 6000) {
      long some = pair.far().read(in);
      assertThat(some).isPositive();
      read += some;
    }
    for (int i = 0; i < 3000; i++) {
      assertThat(in[2 * i].get(0)).isEqualTo((byte) i);
      assertThat(in[2 * i + 1].get(0)).isEqualTo((byte) (i >> 8));
    }
  }

  @Test
  void aReadFillsOneBufferAfterTheOther() throws Exception {
    Link link = link();
    send(link.far(), "abcdefgh");
    ByteBuffer[] in = {
      ByteBuffer.allocate(2),
      ByteBuffer.allocate(0),
      ByteBuffer.allocateDirect(3),
      ByteBuffer.allocate(10)
    };
    long count = 0;
    while (count < 8) {
      long some = link.near().read(in);
      assertThat(some).isPositive();
      count += some;
    }
    assertThat(in[0].array()).containsExactly('a', 'b');
    assertThat(in[2].flip()).isEqualTo(text("cde"));
    assertThat(in[3].flip()).isEqualTo(text("fgh"));
  }

  @Test
  void onlyTheNamedBuffersTakePart() throws Exception {
    Pair pair = pair();
    ByteBuffer[] out = {text("no"), text("yes"), text("YES"), text("no")};
    assertThat(pair.near().write(out, 1, 2)).isEqualTo(6);
    assertThat(out[0].position()).isZero();
    assertThat(out[3].position()).isZero();
    assertThat(text(readFully(pair.far(), 6))).isEqualTo("yesYES");
    assertThat(pair.near().write(out, 1, 0)).isZero();
    assertThat(pair.near().write(out, 4, 0)).isZero();
    writeFully(pair.near(), text("12"));
    ByteBuffer[] in = {ByteBuffer.allocate(5), ByteBuffer.allocate(1), ByteBuffer.allocate(5)};
    assertThat(pair.far().read(in, 1, 1)).isEqualTo(1);
    assertThat(in[0].position()).isZero();
    assertThat(in[1].get(0)).isEqualTo((byte) '1');
    assertThat(readFully(pair.far(), 1)).containsExactly('2');
  }

  @Test
  void boundsAreChecked() throws Exception {
    Pair pair = pair();
    ByteBuffer[] two = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
    int[][] wrong = {{-1, 1}, {0, -1}, {0, 3}, {3, 0}, {1, 2}};
    for (int[] range : wrong) {
      assertThatThrownBy(() -> pair.near().write(two, range[0], range[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> pair.near().read(two, range[0], range[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(two[0].position()).isZero();
  }

  @Test
  void aFullSocketTakesAPart() throws Exception {
    Link link = link();
    link.near().configureBlocking(false);
    ByteBuffer[] out = new ByteBuffer[100];
    for (int i = 0; i < out.length; i++) {
      out[i] = ByteBuffer.allocate(100_000);
    }
    long total = 0;
    while (true) {
      long before = remaining(out);
      long count = link.near().write(out);
      assertThat(remaining(out)).isEqualTo(before - count);
      total += count;
      if (count == 0) {
        break;
      }
    }
    assertThat(total).isBetween(1L, 9_999_999L);
    assertThat(receive(link.far(), (int) total)).hasSize((int) total);
  }

  @Test
  void theEndIsMinusOne() throws Exception {
    Link link = link();
    link.far().close();
    ByteBuffer[] in = {ByteBuffer.allocate(5), ByteBuffer.allocate(1)};
    assertThat(link.near().read(in)).isEqualTo(-1);
  }

  private static long remaining(ByteBuffer[] buffers) {
    long sum = 0;
    for (ByteBuffer buffer : buffers) {
      sum += buffer.remaining();
    }
    return sum;
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
