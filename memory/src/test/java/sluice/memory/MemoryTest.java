package sluice.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;

final class MemoryTest {
  private final Account account = new Account("test", 1 << 20);

  private Block block(long bytes) {
    Block block = requireNonNull(Block.allocate(account, bytes));
    return block;
  }

  @Test
  void readsWhatWasWritten() {
    Block block = block(64);
    try (Memory memory = Memory.over(block, 8, 32)) {
      memory.setLong(0, 0x0102030405060708L);
      assertThat(memory.get(0)).isEqualTo((byte) 8);
      assertThat(memory.getInt(4)).isEqualTo(0x01020304);
      assertThat(block.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 8))
          .isEqualTo((byte) 8);
      assertThat(memory.lengthBytes()).isEqualTo(32);
    }
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void staysInItsBounds() {
    Block block = block(64);
    assertThatThrownBy(() -> Memory.over(block, 60, 8))
        .isInstanceOf(IndexOutOfBoundsException.class);
    try (Memory memory = Memory.over(block, 0, 16)) {
      assertThatThrownBy(() -> memory.getLong(9)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> memory.slice(8, 9)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> memory.slice(8, 8).get(8))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    block.release();
  }

  @Test
  void revocationEndsEverythingDerived() {
    Block block = block(64);
    Memory memory = Memory.over(block, 0, 64);
    memory.set(3, (byte) 7);
    Memory slice = memory.slice(0, 8);
    Memory readOnly = slice.asReadOnly();
    Memory fresh = memory.revokeNow();
    assertThatThrownBy(() -> memory.get(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> slice.set(3, (byte) 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> readOnly.get(3)).isInstanceOf(IllegalStateException.class);
    assertThat(readOnly.isLive()).isFalse();
    assertThat(fresh.get(3)).isEqualTo((byte) 7);
    assertThatThrownBy(memory::revokeNow).isInstanceOf(IllegalStateException.class);
    fresh.close();
    fresh.close();
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void revocationLeavesADeviceItsBytes() {
    Block block = block(64);
    Memory memory = Memory.over(block, 0, 64);
    Block device = block.lease();
    block.release();
    memory.revokeNow().close();
    // Now only the device holds the block: it writes, and the bytes were given to no other owner.
    assertThat(account.usedBytes()).isEqualTo(64);
    device.segment().fill((byte) 1);
    device.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void readOnlyNeverConvertsBack() {
    Block block = block(16);
    try (Memory memory = Memory.readOnlyOver(block, 0, 16)) {
      assertThatThrownBy(() -> memory.set(0, (byte) 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> memory.slice(0, 4).setInt(0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> memory.writable(account))
          .isInstanceOf(UnsupportedOperationException.class);
      Memory fresh = memory.revokeNow();
      assertThat(fresh.isReadOnly()).isTrue();
      fresh.close();
    }
    block.release();
  }

  @Test
  void writersCopyWhatOthersHold() {
    Block block = block(16);
    Memory memory = Memory.over(block, 0, 16);
    memory.set(0, (byte) 1);
    Memory own = requireNonNull(memory.writable(account));
    assertThat(own).isNotSameAs(memory);
    own.set(0, (byte) 2);
    assertThat(block.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
    assertThat(memory.isLive()).isFalse();
    assertThat(own.writable(account)).isSameAs(own);
    own.close();
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void aCopyThatDoesNotFitChangesNothing() {
    Account tight = new Account("tight", 16);
    Block block = requireNonNull(Block.allocate(tight, 16));
    Memory memory = Memory.over(block, 0, 16);
    assertThat(memory.writable(tight)).isNull();
    assertThat(memory.isLive()).isTrue();
    memory.close();
    block.release();
  }

  @Test
  @Timeout(120)
  void anAccessCompletesBeforeTheRevocationOrFails() throws InterruptedException {
    Block block = block(8);
    Memory first = Memory.over(block, 0, 8);
    AtomicReference<Memory> current = new AtomicReference<>(first);
    AtomicLong failures = new AtomicLong();
    AtomicLong accesses = new AtomicLong();
    CountDownLatch end = new CountDownLatch(1);
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              while (end.getCount() > 0) {
                Memory memory = requireNonNull(current.get());
                try {
                  memory.setLong(0, memory.getLong(0) + 1);
                  accesses.incrementAndGet();
                } catch (IllegalStateException revoked) {
                  failures.incrementAndGet();
                }
              }
            });
    Memory last = first;
    for (int i = 0; i < 200; i++) {
      Memory before = last;
      last = before.revokeNow();
      assertThatThrownBy(() -> before.getLong(0)).isInstanceOf(IllegalStateException.class);
      current.set(last);
      TimeUnit.MICROSECONDS.sleep(50);
    }
    end.countDown();
    reader.join();
    // An access that failed may have stored its value shortly before. No access stored a value
    // after the revocation returned.
    assertThat(last.getLong(0)).isBetween(accesses.get(), accesses.get() + failures.get());
    last.close();
    block.release();
    assertThat(account.usedBytes()).isZero();
  }
}
