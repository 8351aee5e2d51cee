package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Tests that resting workers are woken before no worker reads, so that no message waits for ever.
@Timeout(120)
final class FuseReadersTest {
  private static final int MESSAGES = 5_000;

  /// A simulated device: messages are permits, and a slow worker waits until a later message is
  /// taken.
  private static final class Device {
    final FuseReaders readers = new FuseReaders();
    final Semaphore messages = new Semaphore(0);
    final AtomicInteger taken = new AtomicInteger();
    volatile boolean ended;

    void work(Random random) {
      while (true) {
        readers.begin();
        messages.acquireUninterruptibly();
        readers.taken();
        if (ended) {
          messages.release();
          readers.end();
          return;
        }
        int number = taken.incrementAndGet();
        boolean slow = random.nextInt(10) == 0;
        if (slow) {
          readers.cover();
          // Like a write that waits for a commit that another message causes.
          while (taken.get() == number && number < MESSAGES && !ended) {
            LockSupport.parkNanos(1_000);
          }
        }
        if (readers.enough(slow ? 2 : 1) && random.nextInt(4) == 0) {
          readers.rest();
        }
      }
    }
  }

  @Test
  void somebodyAlwaysReads() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Device device = new Device();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      workers.add(Thread.ofPlatform().daemon().start(() -> device.work(random)));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    for (int sent = 0; sent < MESSAGES; sent++) {
      device.messages.release();
      while (device.taken.get() < sent - 3 && System.nanoTime() < end) {
        LockSupport.parkNanos(1_000);
      }
    }
    Await.untilAsserted(() -> assertThat(device.taken).as("seed %d", seed).hasValue(MESSAGES));
    device.ended = true;
    device.messages.release();
    for (Thread worker : workers) {
      worker.join(TimeUnit.SECONDS.toMillis(30));
      assertThat(worker.isAlive()).as("seed %d", seed).isFalse();
    }
  }
}
