package sluice.loop.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;
import sluice.testbase.Await;

/// Owner and other threads end leases at the same time: no chunk is lost, and none is given out
/// twice. Each chunk carries the number of its round, so that a chunk in two hands shows.
@Timeout(240)
class ChunkPoolStressTest {
  private static final int CHUNKS = 16;
  private static final int THREADS = 3;
  private static final int ROUNDS = 100_000;
  private static final int CLOSES = 300;

  private record Lent(Block block, int round) {
    void checkAndRelease() {
      int seen = block.segment().get(ValueLayout.JAVA_INT, 0);
      if (seen != round) {
        throw new AssertionError("chunk of round " + round + " was reused in round " + seen);
      }
      block.release();
    }
  }

  private final BlockingQueue<Lent> queue = new ArrayBlockingQueue<>(4 * CHUNKS);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  @Test
  void noChunkIsLostOrGivenOutTwice() throws InterruptedException {
    try (ChunkPool pool = new ChunkPool(CHUNKS, 64)) {
      pool.own(Thread.currentThread());
      List<Thread> threads = startReleasers();
      Random random = new Random(7);
      for (int round = 0; round < ROUNDS && failure.get() == null; round++) {
        Lent lent = lend(pool, round);
        if (random.nextInt(3) == 0) {
          lent.checkAndRelease();
        } else {
          queue.put(lent);
        }
      }
      stop(threads);
      pool.reclaim();
      assertThat(pool.free()).isEqualTo(CHUNKS);
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        assertThat(pool.block(chunk).leases()).isZero();
      }
    }
  }

  @Test
  void closeRacesWithReleases() throws InterruptedException {
    for (int i = 0; i < CLOSES && failure.get() == null; i++) {
      ChunkPool pool = new ChunkPool(CHUNKS, 64);
      pool.own(Thread.currentThread());
      List<Thread> threads = startReleasers();
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        queue.put(lend(pool, chunk));
      }
      pool.close(); // frees the region at the right time, or the releasers crash
      stop(threads);
    }
  }

  private static Lent lend(ChunkPool pool, int round) {
    int chunk = pool.peek();
    Await await = new Await();
    while (chunk < 0) {
      await.check("a free chunk");
      LockSupport.parkNanos(1_000);
      pool.reclaim();
      chunk = pool.peek();
    }
    pool.lend(chunk);
    pool.block(chunk).segment().set(ValueLayout.JAVA_INT, 0, round);
    return new Lent(pool.block(chunk), round);
  }

  private List<Thread> startReleasers() {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().start(this::releaseAll));
    }
    return threads;
  }

  private void releaseAll() {
    try {
      for (Lent lent = queue.take(); lent.round() >= 0; lent = queue.take()) {
        lent.checkAndRelease();
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  private void stop(List<Thread> threads) throws InterruptedException {
    Block none = new Block(MemorySegment.NULL, 1) {};
    for (int i = 0; i < threads.size(); i++) {
      queue.put(new Lent(none, -1));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
  }
}
