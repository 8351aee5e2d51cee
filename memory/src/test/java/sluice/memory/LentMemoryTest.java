package sluice.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;

/// Tests batched revocation. The bytes of a block are its number, so that an access to another
/// owner's bytes is detected.
@Timeout(60)
final class LentMemoryTest {
  private static final long MUCH_LATER_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Account account = new Account("test", 1 << 20);

  private Block block(long bytes) {
    return requireNonNull(Block.allocate(account, bytes));
  }

  private Memory lend(long value) {
    Block block = block(8);
    Memory memory = Memory.lend(block, 0, 8);
    memory.setLong(0, value);
    block.release();
    return memory;
  }

  /// Waits until the timer has ended revoked memory. The time limit allows for busy machines.
  private void awaitUsed(long bytes) {
    long start = System.nanoTime();
    while (account.usedBytes() != bytes) {
      assertThat(System.nanoTime() - start).isLessThan(MUCH_LATER_NANOS);
      LockSupport.parkNanos(100_000);
    }
  }

  /// Checks the timer thread, which is started by the first thread in this JVM that revokes memory,
  /// possibly one of a domain.
  @Test
  void theThreadThatKeepsTheTimeHasNothingOfTheThreadThatStartsIt() {
    lend(1).revoke();
    awaitUsed(0);
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().equals("sluice-revoke"))
        .singleElement()
        .satisfies(
            thread -> assertThat(requireNonNull(thread.getThreadGroup()).getParent()).isNull());
  }

  @Test
  void endsByTimeAndThenGivesItsLeaseBack() {
    Memory memory = lend(7);
    Memory part = memory.slice(0, 4).asReadOnly();
    memory.revoke();
    assertThat(memory.isLive()).isFalse();
    awaitUsed(0);
    assertThatThrownBy(() -> memory.getLong(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> part.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(memory::revoke).isInstanceOf(IllegalStateException.class);
    memory.close();
  }

  /// Checks a cohort whose timer is due but which is not closed yet: the block must not return to
  /// its owner.
  @Test
  void beforeTheHandshakeNothingIsReused() {
    Memory memory = lend(7);
    synchronized (Cohort.CLOSING) {
      memory.revoke();
      assertThat(memory.isLive()).isFalse();
      long start = System.nanoTime();
      while (!timerWaitsToClose()) {
        assertThat(System.nanoTime() - start).isLessThan(MUCH_LATER_NANOS);
        LockSupport.parkNanos(100_000);
      }
      assertThat(account.usedBytes()).as("the block is still leased").isEqualTo(8);
    }
    awaitUsed(0);
  }

  private static boolean timerWaitsToClose() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> each.getKey().getName().equals("sluice-revoke"))
        .filter(each -> each.getKey().getState() == Thread.State.BLOCKED)
        .flatMap(each -> Arrays.stream(each.getValue()))
        .anyMatch(frame -> frame.getMethodName().equals("close"));
  }

  @Test
  void endsWithTheLastRevocationOfItsBatch() {
    List<Memory> lent = new ArrayList<>();
    for (int i = 0; i < 16 * Cohort.BATCH; i++) {
      lent.add(lend(i));
    }
    for (int i = 0; i < lent.size(); i++) {
      lent.get(i).revoke();
      // Memory made together is in at most a few cohorts, each with fewer than a batch.
      assertThat(account.usedBytes() / 8)
          .isLessThanOrEqualTo(lent.size() - i - 1 + (Cohort.BATCH - 1) * 6);
    }
    awaitUsed(0);
  }

  @Test
  void thatOfItsNeighboursDoesNotDisturbLiveMemory() {
    Memory survivor = lend(1);
    Memory part = survivor.slice(4, 4);
    Memory reader = survivor.asReadOnly();
    for (int i = 0; i < 1000; i++) {
      lend(2).revoke();
      survivor.setLong(0, i);
      assertThat(reader.getLong(0)).isEqualTo(i);
      part.setInt(0, 9);
      assertThat(survivor.getInt(4)).isEqualTo(9);
      assertThatThrownBy(() -> part.get(4)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> reader.set(0, (byte) 1))
          .isInstanceOf(IllegalArgumentException.class);
    }
    survivor.close();
    awaitUsed(0);
    assertThatThrownBy(() -> part.getInt(0)).isInstanceOf(IllegalStateException.class);
  }

  /// Checks that accesses are rarely retried, because code for retries slows down all loops.
  @Test
  void loopsOverLiveMemoryAreNotDisturbedWhenItIsMoved() throws InterruptedException {
    Block block = block(4096);
    Memory survivor = Memory.lend(block, 0, 4096);
    CountDownLatch warm = new CountDownLatch(20_000);
    CountDownLatch end = new CountDownLatch(1);
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              while (end.getCount() > 0) {
                assertThat(sum(survivor)).isZero();
                warm.countDown();
              }
            });
    warm.await();
    long before = Cohort.again();
    for (int i = 0; i < 2000; i++) {
      lend(1).revokeNow().close();
    }
    long again = Cohort.again() - before;
    end.countDown();
    reader.join();
    assertThat(again).as("accesses made again in 2000 moves").isLessThan(20);
    survivor.close();
    block.release();
    awaitUsed(0);
  }

  private static long sum(Memory memory) {
    long sum = 0;
    for (long at = 0; at < 4096; at += 8) {
      sum += memory.getLong(at);
    }
    return sum;
  }

  @Test
  void revokedNowItFailsAtOnceAndTheFreshReferenceHasTheBytes() {
    Memory neighbour = lend(3);
    Memory memory = lend(5);
    Memory reader = memory.asReadOnly();
    Memory fresh = memory.revokeNow();
    assertThatThrownBy(() -> memory.getLong(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> reader.getLong(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(memory::revokeNow).isInstanceOf(IllegalStateException.class);
    assertThat(fresh.getLong(0)).isEqualTo(5);
    assertThat(neighbour.getLong(0)).isEqualTo(3);
    fresh.close();
    neighbour.close();
    awaitUsed(0);
  }

  @Test
  void readOnlyNeverConvertsBack() {
    Block block = block(8);
    Memory memory = Memory.lendReadOnly(block, 0, 8);
    assertThatThrownBy(() -> memory.set(0, (byte) 1)).isInstanceOf(IllegalArgumentException.class);
    Memory fresh = memory.revokeNow();
    assertThat(fresh.isReadOnly()).isTrue();
    fresh.close();
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void partsCannotEndItAndRevocationLeavesADeviceItsBytes() {
    Block device = block(8);
    Memory memory = Memory.lend(device, 0, 8);
    Memory part = memory.slice(0, 8);
    assertThatThrownBy(part::revoke).isInstanceOf(UnsupportedOperationException.class);
    part.close();
    assertThat(memory.isLive()).isTrue();
    memory.revoke();
    lend(1).revokeNow().close();
    awaitUsed(8);
    device.segment().fill((byte) 1);
    device.release();
    assertThat(account.usedBytes()).isZero();
  }

  /// Tests an owner that lends, revokes, and writes another value as soon as the block is its own
  /// again. A reader that holds an old reference sees the old value or fails.
  @Test
  void anOldHolderNeverSeesAnotherOwnersBytes() throws InterruptedException {
    record Lent(Memory memory, long value) {}
    AtomicReference<Lent> current = new AtomicReference<>(new Lent(lend(1), 1));
    Memory survivor = lend(-1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicLong wrong = new AtomicLong();
    AtomicLong failed = new AtomicLong();
    AtomicLong read = new AtomicLong();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                while (end.getCount() > 0) {
                  Lent lent = requireNonNull(current.get());
                  for (int n = 0; n < 200; n++) {
                    try {
                      wrong.addAndGet(survivor.getLong(0) == -1 ? 0 : 1);
                      wrong.addAndGet(lent.memory.getLong(0) == lent.value ? 0 : 1);
                      read.incrementAndGet();
                    } catch (IllegalStateException revoked) {
                      failed.incrementAndGet();
                      wrong.addAndGet(lent.memory.isLive() ? 1 : 0);
                    }
                  }
                }
              }));
    }
    SplittableRandom random = new SplittableRandom(5);
    record Watched(Block block, long value) {}
    ArrayDeque<Watched> watched = new ArrayDeque<>();
    Lent last = requireNonNull(current.get());
    for (long value = 2; value < 20_000; value++) {
      Block block = block(8);
      Memory memory = Memory.lend(block, 0, 8);
      memory.setLong(0, value);
      last.memory.revoke();
      last = new Lent(memory, value);
      current.set(last);
      watched.add(new Watched(block, value));
      while (!watched.isEmpty() && watched.element().block.leases() == 1) {
        // Only this lease is left, so the owner may write.
        Block own = watched.remove().block;
        own.segment().fill((byte) 0x5a);
        own.release();
      }
      if (random.nextInt(64) == 0) {
        LockSupport.parkNanos(1000);
      }
    }
    end.countDown();
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(wrong.get()).isZero();
    assertThat(read.get()).isPositive();
    assertThat(failed.get()).isPositive();
    last.memory.revoke();
    survivor.close();
    watched.forEach(w -> w.block.release());
    awaitUsed(0);
  }
}
