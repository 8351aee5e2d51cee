package sluice.memory.block;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import sluice.memory.Account;

final class BlockTest {
  private final Account account = new Account("test", 1000);

  @Test
  void isChargedUntilTheLastLeaseEnds() {
    Block block = requireNonNull(Block.allocate(account, 600));
    assertThat(Block.allocate(account, 600)).isNull();
    assertThat(account.usedBytes()).isEqualTo(600);
    block.lease();
    assertThat(block.leases()).isEqualTo(2);
    block.release();
    assertThat(account.usedBytes()).isEqualTo(600);
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void refusesUseAfterTheEnd() {
    Block block = requireNonNull(Block.allocate(account, 10));
    block.release();
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(block::lease).isInstanceOf(IllegalStateException.class);
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void beginsZeroed() {
    Block block = requireNonNull(Block.allocate(account, 100));
    assertThat(block.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    block.release();
  }

  @Test
  void beginsWithACacheLine() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 1; i < 40; i++) {
      Block block = requireNonNull(Block.allocate(account, i));
      assertThat(block.segment().address() % 64).isZero();
      assertThat(block.lengthBytes()).isEqualTo(i);
      block.segment().fill((byte) i);
      blocks.add(block);
    }
    blocks.forEach(Block::release);
    assertThat(account.usedBytes()).isZero();
    assertThatThrownBy(() -> Block.allocate(account, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSliceKeepsItsParent() {
    Block block = requireNonNull(Block.allocate(account, 100));
    Block slice = block.slice(10, 20);
    block.release();
    assertThat(account.usedBytes()).isEqualTo(100);
    assertThat(slice.lengthBytes()).isEqualTo(20);
    slice.release();
    assertThat(account.usedBytes()).isZero();
  }

  /// A block of a pool, which is never freed.
  private static final class Pooled extends PooledBlock {
    Pooled() {
      super(java.lang.foreign.Arena.ofAuto().allocate(8), 0);
    }
  }

  @Test
  void aClaimedBlockRefusesLeases() {
    Pooled block = new Pooled();
    assertThat(block.tryLease()).as("free").isFalse();
    assertThat(block.tryClaim()).isFalse();
    block.revive();
    assertThat(block.tryClaim()).as("not offered").isFalse();
    block.offer();
    assertThat(block.leases()).isEqualTo(1);
    assertThat(block.tryLease()).isTrue();
    assertThat(block.leases()).isEqualTo(2);
    assertThat(block.tryClaim()).as("somebody else holds it").isFalse();
    block.release();
    assertThat(block.tryClaimOwn()).as("offered").isFalse();
    assertThat(block.tryClaim()).isTrue();
    assertThat(block.tryClaim()).isFalse();
    assertThat(block.tryLease()).isFalse();
    assertThatThrownBy(block::lease).isInstanceOf(IllegalStateException.class);
    block.unclaim(true);
    assertThat(block.leases()).isEqualTo(1);
    assertThat(block.tryClaim()).isTrue();
    block.unclaim(false);
    assertThat(block.leases()).isEqualTo(1);
    assertThat(block.tryClaim()).as("not offered any more").isFalse();
    block.release();
    assertThat(block.tryLease()).isFalse();
  }

  @Test
  void aBlockThatIsWithdrawnStaysWithItsHolders() {
    Pooled block = new Pooled();
    block.revive();
    block.offer();
    assertThat(block.tryLease()).isTrue();
    block.withdraw();
    block.release(); // the pool's lease
    assertThat(block.leases()).isEqualTo(1);
    assertThat(block.tryClaim()).as("by who found it before").isFalse();
    block.lease().release();
    assertThat(block.tryClaimOwn()).isTrue();
    block.unclaim(false);
    block.release();
    assertThat(block.leases()).isZero();
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aWriterCopiesASnapshot() {
    Block block = requireNonNull(Block.allocate(account, 8));
    assertThat(block.writable(account)).isSameAs(block);
    Block snapshot = block.lease();
    Block mine = requireNonNull(block.writable(account));
    assertThat(mine).isNotSameAs(block);
    mine.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
    assertThat(snapshot.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
    mine.release();
    snapshot.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void countsLeasesOfManyThreads() throws InterruptedException {
    Block block = requireNonNull(Block.allocate(account, 8));
    CyclicBarrier together = new CyclicBarrier(4);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      block.lease();
      Thread thread =
          Thread.ofPlatform()
              .unstarted(() -> {
                await(together);
                for (int n = 0; n < 200_000; n++) {
                  block.lease();
                  block.release();
                }
                block.release();
              });
      thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(block.leases()).isEqualTo(1);
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  /// Waits for the other threads. Otherwise the first thread would finish before the last one
  /// starts.
  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
