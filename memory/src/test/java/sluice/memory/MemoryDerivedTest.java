package sluice.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import sluice.memory.block.Block;

/// Tests that a slice or a read-only reference gives its holder its own range and rights and no
/// more.
final class MemoryDerivedTest {
  private static final int BYTES = 16;

  private final Account account = new Account("test", 1 << 20);
  private final Block block = requireNonNull(Block.allocate(account, BYTES));

  private static byte first(Block block) {
    return block.segment().get(ValueLayout.JAVA_BYTE, 0);
  }

  private void ends(Memory memory) {
    memory.close();
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void aReadOnlyReferenceNeverBecomesWritable() {
    Memory memory = Memory.over(block, 0, BYTES);
    Memory readOnly = memory.asReadOnly();
    assertThatThrownBy(readOnly::revoke).isInstanceOf(UnsupportedOperationException.class);
    assertThat(memory.isLive()).isTrue();
    assertThatThrownBy(() -> readOnly.slice(0, 4).revokeNow())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> readOnly.writable(account))
        .isInstanceOf(UnsupportedOperationException.class);
    ends(memory);
  }

  @Test
  void aSliceRevokesNothingAndNamesNothingOutside() {
    Memory memory = Memory.over(block, 0, BYTES);
    Memory slice = memory.slice(4, 4);
    assertThatThrownBy(slice::revoke)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("Fix:");
    assertThat(memory.isLive()).isTrue();
    memory.set(0, (byte) 1);
    ends(memory);
  }

  @Test
  void closingASliceLeavesTheMemoryItIsOf() {
    Memory memory = Memory.over(block, 0, BYTES);
    memory.slice(4, 4).close();
    memory.asReadOnly().close();
    assertThat(memory.isLive()).isTrue();
    memory.set(0, (byte) 1);
    assertThat(block.leases()).isEqualTo(2);
    ends(memory);
  }

  @Test
  void aFreshReferenceIsTheOwnersAgain() {
    Memory memory = Memory.over(block, 0, BYTES);
    Memory fresh = memory.revokeNow();
    Memory fresher = fresh.revokeNow();
    fresher.set(0, (byte) 1);
    ends(fresher);
  }

  @Test
  void aReaderNeverSeesAWriteToWhatWasMadeWritable() {
    Memory memory = Memory.over(block, 0, BYTES);
    block.release();
    Memory reader = memory.asReadOnly();
    Memory own = requireNonNull(memory.writable(account));
    own.set(0, (byte) 9);
    assertThatThrownBy(() -> reader.get(0)).isInstanceOf(IllegalStateException.class);
    assertThat(own.get(0)).isEqualTo((byte) 9);
    own.close();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void aWritableSliceIsACopyAndLeavesTheMemoryItIsOf() {
    Memory memory = Memory.over(block, 0, BYTES);
    memory.set(4, (byte) 5);
    Memory slice = memory.slice(4, 4);
    Memory own = requireNonNull(slice.writable(account));
    own.set(0, (byte) 9);
    assertThat(own.lengthBytes()).isEqualTo(4);
    assertThat(memory.isLive()).isTrue();
    assertThat(slice.get(0)).isEqualTo((byte) 5);
    own.close();
    ends(memory);
  }

  @Test
  void whatHasEndedIsNotMadeWritable() {
    Memory memory = Memory.over(block, 0, BYTES);
    Memory fresh = memory.revokeNow();
    // Two hold the block: a copy would be made, and must not stay behind.
    assertThatThrownBy(() -> memory.writable(account)).isInstanceOf(IllegalStateException.class);
    assertThat(account.usedBytes()).isEqualTo(BYTES);
    block.release();
    // One holds it: the result must not be the reference that has ended.
    assertThatThrownBy(() -> memory.writable(account)).isInstanceOf(IllegalStateException.class);
    assertThat(first(block)).isZero();
    fresh.close();
    assertThat(account.usedBytes()).isZero();
  }
}
