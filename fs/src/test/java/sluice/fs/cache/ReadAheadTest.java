package sluice.fs.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.DeviceOverDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.memory.block.Block;
import sluice.testbase.Await;

/// Tests the end of read-ahead while other threads request more.
@Timeout(300)
final class ReadAheadTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 4096;
  private static final int FRAMES = 2048;

  /// A device whose reads wait for a gate to open.
  private static final class GatedDevice extends DeviceOverDevice {
    final CountDownLatch inside = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);
    final AtomicInteger reads = new AtomicInteger();

    GatedDevice() throws IOException {
      super(BlockDevices.memory((long) BLOCKS * BLOCK));
    }

    @Override
    public void read(long position, Block into, long offset, int bytes) throws IOException {
      reads.incrementAndGet();
      inside.countDown();
      boolean interrupted = false;
      while (gate.getCount() > 0) {
        try {
          gate.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      super.read(position, into, offset, bytes);
    }
  }

  /// Checks that waiting and new requests are dropped, so that the reader ends with its current
  /// batch.
  @Test
  void closingWaitsForOneBatch() throws Exception {
    try (GatedDevice device = new GatedDevice()) {
      BufferCache cache = BufferCaches.open(device, BLOCK, (long) FRAMES * BLOCK);
      CompletableFuture<Void> closed = new CompletableFuture<>();
      Thread closing =
          Thread.ofPlatform()
              .unstarted(() -> {
                try {
                  cache.close();
                  closed.complete(null);
                } catch (IOException | RuntimeException e) {
                  closed.completeExceptionally(e);
                }
              });
      try {
        cache.readAhead(0, FRAMES / 8);
        assertThat(device.inside.await(60, TimeUnit.SECONDS)).as("the reader has begun").isTrue();
        askOften(cache);
        closing.start();
        Await.until("a wait for the reader", () -> closing.getState() == Thread.State.WAITING);
        askOften(cache);
      } finally {
        device.gate.countDown();
      }
      closed.get(60, TimeUnit.SECONDS);
      assertThat(device.reads).as("blocks of the one batch").hasValue(64);
      askOften(cache); // starts no reader
    }
  }

  private static void askOften(BufferCache cache) {
    for (int i = 0; i < 100; i++) {
      cache.readAhead(1000 + i, 8);
    }
  }

  @Test
  void closingEndsWhileOthersAsk() throws Exception {
    for (int round = 0; round < 100; round++) {
      AtomicBoolean ended = new AtomicBoolean();
      try (BlockDevice device = BlockDevices.memory((long) BLOCKS * BLOCK)) {
        BufferCache cache = BufferCaches.open(device, BLOCK, (long) FRAMES * BLOCK);
        Thread[] askers = new Thread[3];
        for (int i = 0; i < askers.length; i++) {
          askers[i] =
              Thread.ofPlatform()
                  .start(() -> {
                    while (!ended.get()) {
                      askOften(cache);
                    }
                  });
        }
        try {
          CompletableFuture.runAsync(
                  () -> {
                    try {
                      cache.close();
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  })
              .get(60, TimeUnit.SECONDS);
        } finally {
          ended.set(true);
          for (Thread asker : askers) {
            Await.end(asker);
          }
        }
      }
    }
  }
}
