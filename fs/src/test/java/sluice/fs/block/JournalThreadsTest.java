package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.JournalRig;
import sluice.fs.RecordingDevice;
import sluice.fs.Stamps;
import sluice.fs.storage.BlockDevices;

/// Tests concurrent transactions in a cache and a log that are barely large enough. After a crash
/// at any moment, each transaction is there as a whole or not at all, and awaited transactions are
/// there.
@Timeout(600)
final class JournalThreadsTest {
  private static final int LOG = 160;
  private static final int FRAMES = 320;
  private static final int THREADS = 6;
  private static final int TRANSACTIONS = 120;
  private static final int BLOCKS = 5;

  /// Records that a thread had awaited a version when the given number of events had happened.
  private record Awaited(int events, int thread, long version) {}

  private final ConcurrentLinkedQueue<Awaited> awaited = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();

  private static long block(int thread, int i) {
    return JournalRig.FIRST + thread * 16L + i;
  }

  private void work(JournalRig rig, RecordingDevice recording, int thread) {
    Random random = new Random(thread);
    try {
      for (int version = 1; version <= TRANSACTIONS; version++) {
        try (Transaction transaction = rig.journal.begin(BLOCKS + 1)) {
          for (int i = 0; i < BLOCKS; i++) {
            long block = block(thread, i);
            try (Buffer buffer = transaction.change(block)) {
              Stamps.write(buffer.block(), block, version);
            }
          }
          // All threads change parts of one block, as in a block of inodes.
          transaction.change(JournalRig.FIRST - 1).setInt(thread * 4, version);
        }
        rig.version(block(random.nextInt(THREADS), random.nextInt(BLOCKS)));
        if (random.nextInt(4) == 0) {
          rig.journal.await(rig.journal.point());
          awaited.add(new Awaited(recording.events(), thread, version));
        }
      }
    } catch (IOException | RuntimeException | Error problem) {
      problems.add(problem);
    }
  }

  @Test
  void transactionsAreWholeOrNotThere() throws Exception {
    BlockDevice device = BlockDevices.memory(JournalRig.BLOCKS * JournalRig.BLOCK);
    JournalRig.format(device, LOG);
    BlockDevice base = JournalRig.copy(device);
    RecordingDevice recording = new RecordingDevice(device);
    try (JournalRig rig = JournalRig.open(recording, LOG, FRAMES)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int thread = t;
        threads.add(Thread.ofPlatform().start(() -> work(rig, recording, thread)));
      }
      for (Thread thread : threads) {
        assertThat(thread.join(Duration.ofMinutes(4))).isTrue();
      }
      assertThat(problems).isEmpty();
    }
    int applied = 0;
    int step = Math.max(1, recording.events() / 400);
    for (int events = 0; events <= recording.events(); events += step) {
      applied = recording.applyFlushed(applied, events, base);
      BlockDevice crashed = JournalRig.copy(base);
      recording.applySome(applied, events, new Random(events), crashed);
      try (JournalRig after = JournalRig.open(crashed, LOG, FRAMES)) {
        check(after, events);
      }
      crashed.close();
    }
    base.close();
    device.close();
  }

  private void check(JournalRig after, int events) throws IOException {
    long[] least = new long[THREADS];
    for (Awaited point : awaited) {
      if (point.events <= events) {
        least[point.thread] = Math.max(least[point.thread], point.version);
      }
    }
    try (Buffer shared = after.cache.read(JournalRig.FIRST - 1)) {
      for (int t = 0; t < THREADS; t++) {
        long version = after.version(block(t, 0));
        String what = "thread " + t + " after " + events + " events";
        assertThat(version).as(what).isBetween(least[t], (long) TRANSACTIONS);
        assertThat(shared.getInt(t * 4)).as(what).isEqualTo((int) version);
        for (int i = 1; i < BLOCKS; i++) {
          assertThat(after.version(block(t, i))).as(what + ", block " + i).isEqualTo(version);
        }
      }
    }
  }
}
