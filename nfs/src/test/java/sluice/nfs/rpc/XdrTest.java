package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// Tests that written values can be read, and that values of wrong length are refused.
class XdrTest {
  private final XdrWriter writer = new XdrWriter(64 << 10);

  private XdrReader read() {
    return RpcTestCalls.reader(writer.toBytes(), 0);
  }

  @Test
  void numbersAndBytesComeBack() {
    writer.int32(-2).uint32(0xffff_fffeL).int64(Long.MIN_VALUE + 5).bool(true).bool(false);
    writer.opaque(new byte[] {1, 2, 3, 4, 5}).fixed(new byte[] {9}).opaque(new byte[0]);
    XdrReader reader = read();
    assertThat(reader.int32()).isEqualTo(-2);
    assertThat(reader.uint32()).isEqualTo(0xffff_fffeL);
    assertThat(reader.int64()).isEqualTo(Long.MIN_VALUE + 5);
    assertThat(reader.bool()).isTrue();
    assertThat(reader.bool()).isFalse();
    assertThat(reader.opaque(5)).containsExactly(1, 2, 3, 4, 5);
    assertThat(reader.fixed(1)).containsExactly(9);
    assertThat(reader.opaque(5)).isEmpty();
    assertThat(reader.remaining()).isZero();
    assertThat(writer.position()).isEqualTo(24 + 12 + 4 + 4);
  }

  @Test
  void paddingIsZeroWhateverWasThere() {
    writer.int64(-1).int64(-1);
    writer.clear();
    writer.fixed(new byte[] {7});
    assertThat(writer.toBytes()).containsExactly(7, 0, 0, 0);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    writer.int32(2).int32(6).int32(0);
    assertThatThrownBy(() -> read().bool()).isInstanceOf(XdrException.class);
    XdrReader reader = read();
    reader.int32();
    assertThatThrownBy(() -> reader.opaque(5)).isInstanceOf(XdrException.class);
    XdrReader beyond = read();
    beyond.int32();
    assertThatThrownBy(() -> beyond.opaque(100)).isInstanceOf(XdrException.class);
    XdrReader end = read();
    end.skip(12);
    assertThatThrownBy(end::int32).isInstanceOf(XdrException.class);
    assertThatThrownBy(() -> read().skip(-1)).isInstanceOf(XdrException.class);
    assertThatThrownBy(() -> read().fixed(Integer.MAX_VALUE)).isInstanceOf(XdrException.class);
    assertThatThrownBy(() -> read().position(13)).isInstanceOf(XdrException.class);
    writer.clear();
    writer.int32(-1);
    assertThatThrownBy(() -> read().opaque(Integer.MAX_VALUE)).isInstanceOf(XdrException.class);
  }

  @Test
  void aPaddedLengthMustBeThereWithItsPadding() {
    XdrReader reader = RpcTestCalls.reader(new byte[] {0, 0, 0, 1, 7}, 0);
    assertThatThrownBy(() -> reader.opaque(4)).isInstanceOf(XdrException.class);
  }

  @Test
  void aMessageBeyondItsBoundIsASystemError() {
    XdrWriter small = new XdrWriter(8);
    small.int64(1);
    assertThatThrownBy(() -> small.int32(1)).isInstanceOf(RpcRefusal.class);
    assertThat(small.position()).isEqualTo(8);
  }

  @Test
  void blocksAreLeasedAndComeInTheirPlace() {
    Account account = new Account("test", 1 << 20);
    Block block = filled(account, 10_000);
    writer.int32(1);
    writer.block(block, 100, 5_000);
    writer.int32(2);
    writer.block(block, 7, 3);
    writer.pad();
    writer.block(block, 5_000, 5_000);
    writer.block(block, 0, 4_000);
    writer.pad();
    writer.int32(3);
    writer.patch(0, 11);
    writer.patch(5_004, 12);
    writer.patch(5_004 + 8 + 9_000, 13);
    assertThat(block.leases()).isEqualTo(4);
    XdrReader reader = read();
    assertThat(reader.int32()).isEqualTo(11);
    assertThat(reader.fixed(5_000)).isEqualTo(part(100, 5_000));
    assertThat(reader.int32()).isEqualTo(12);
    assertThat(reader.fixed(3)).isEqualTo(part(7, 3));
    assertThat(reader.fixed(5_000)).isEqualTo(part(5_000, 5_000));
    assertThat(reader.fixed(4_000)).isEqualTo(part(0, 4_000));
    assertThat(reader.int32()).isEqualTo(13);
    assertThatThrownBy(() -> writer.patch(5_002, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> writer.patch(50, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    writer.clear();
    assertThat(block.leases()).isEqualTo(1);
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  /// A late error would lose the lease while the reply is sent, together with the connection.
  @Test
  void whatABlockDoesNotHaveIsRefusedBeforeItIsLeased() {
    Account account = new Account("test", 1 << 20);
    Block block = filled(account, 10_000);
    writer.block(block, 0, 4_096);
    for (int count : new int[] {-1, 100, 4_096}) {
      assertThatThrownBy(() -> writer.block(block, 9_901, count))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(writer.position()).isEqualTo(4_096);
    assertThat(block.leases()).isEqualTo(2);
    writer.clear();
    assertThat(block.leases()).isEqualTo(1);
    block.release();
  }

  @Test
  void truncatedMessagesAreThePrefix() {
    Account account = new Account("test", 1 << 20);
    Block block = filled(account, 10_000);
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      writer.clear();
      int parts = 1 + random.nextInt(6);
      for (int i = 0; i < parts; i++) {
        if (random.nextBoolean()) {
          writer.int64(random.nextLong());
        } else {
          int count = 2_049 + random.nextInt(4_000);
          writer.block(block, random.nextInt(10_000 - count), count);
        }
      }
      byte[] whole = writer.toBytes();
      int at = random.nextInt(whole.length + 1);
      writer.truncate(at);
      writer.int32(0x01020304);
      byte[] expected = Arrays.copyOf(whole, at + 4);
      for (int i = 0; i < 4; i++) {
        expected[at + i] = (byte) (i + 1);
      }
      assertThat(writer.toBytes()).as("seed %d, round %d", seed, round).isEqualTo(expected);
      writer.patch(at, 0);
    }
    writer.clear();
    assertThat(block.leases()).isEqualTo(1);
    block.release();
  }

  @Test
  void sumsTellCallsApart() {
    writer.int64(1).int64(2).int32(3);
    int sum = read().checksum(256);
    assertThat(read().checksum(256)).isEqualTo(sum);
    writer.patch(16, 4);
    assertThat(read().checksum(256)).isNotEqualTo(sum);
    assertThat(read().checksum(16)).isEqualTo(read().checksum(16));
  }

  private static Block filled(Account account, int bytes) {
    Block block = Block.allocate(account, bytes);
    if (block == null) {
      throw new AssertionError(account.toString());
    }
    for (int i = 0; i < bytes; i++) {
      block.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
    }
    return block;
  }

  private static byte[] part(int from, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      int at = from + i;
      bytes[i] = (byte) (at * 31 + (at >> 8));
    }
    return bytes;
  }
}
