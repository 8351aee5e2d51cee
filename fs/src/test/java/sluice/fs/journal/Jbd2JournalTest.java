package sluice.fs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.DeviceOverDevice;
import sluice.fs.Errnos;
import sluice.fs.JournalRig;
import sluice.fs.Stamps;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.cache.CacheDelays;
import sluice.fs.cache.FrameCache;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testbase.Await;

@Timeout(120)
final class Jbd2JournalTest {
  private static final int LOG = 128;
  private static final int FRAMES = 512;
  private static final long A = JournalRig.FIRST;

  private static long onDevice(BlockDevice device, long block) throws IOException {
    Block bytes = Blocks.of(JournalRig.BLOCK);
    device.read(block * JournalRig.BLOCK, bytes, 0, JournalRig.BLOCK);
    long version = Stamps.version(bytes.segment(), block);
    bytes.release();
    return version;
  }

  /// Returns a rig on the state that a crash at this moment would leave, after replay.
  private static JournalRig crash(JournalRig rig) throws IOException {
    return JournalRig.open(rig.copy(), LOG, FRAMES);
  }

  @Test
  void whatIsStableSurvives() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      rig.change(1, A, A + 1);
      rig.journal.sync();
      rig.change(2, A, A + 2);
      assertThat(onDevice(rig.device, A)).as("only in the log").isZero();
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(1);
        assertThat(after.version(A + 1)).isEqualTo(1);
        assertThat(after.version(A + 2)).isZero();
      }
      assertThat(rig.version(A)).isEqualTo(2);
    }
  }

  /// Checks that a program that ignores the log finds all settled changes.
  @Test
  void whatIsSettledIsAtItsPlace() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      for (int version = 1; version <= 5; version++) {
        rig.change(version, A, A + version);
        rig.journal.settle();
        assertThat(onDevice(rig.device, A)).isEqualTo(version);
        assertThat(onDevice(rig.device, A + version)).isEqualTo(version);
      }
      rig.journal.settle();
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(5);
      }
    }
  }

  @Test
  void whatIsOldBecomesStableWithoutARequest() throws Exception {
    BlockDevice device = BlockDevices.memory(JournalRig.BLOCKS * JournalRig.BLOCK);
    JournalRig.format(device, LOG);
    long bytes = FRAMES * JournalRig.BLOCK;
    Account account = new Account("a cache in a hurry", bytes);
    CacheDelays soon = new CacheDelays(1, 1);
    try (device;
        BufferCache cache = FrameCache.open(device, JournalRig.BLOCK, bytes, account, soon);
        Journal journal = Journals.jbd2(cache, JournalRig.places(LOG))) {
      try (Transaction transaction = journal.begin(1)) {
        Stamps.write(transaction.change(A).block(), A, 1);
      }
      long point = journal.point();
      Await.until("a commit", () -> journal.stable(point));
      try (JournalRig after = JournalRig.open(JournalRig.copy(device), LOG, FRAMES)) {
        assertThat(after.version(A)).isEqualTo(1);
      }
    }
  }

  @Test
  void contentIsThereBeforeTheMetadata() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      rig.content(5, A + 10, true);
      rig.change(5, A);
      rig.journal.await(rig.journal.point());
      assertThat(onDevice(rig.device, A + 10)).isEqualTo(5);
      rig.content(6, A + 10, false); // without any metadata
      rig.journal.sync();
      assertThat(onDevice(rig.device, A + 10)).isEqualTo(6);
    }
  }

  @Test
  void closeLeavesAnEmptyLog() throws IOException {
    BlockDevice device = BlockDevices.memory(JournalRig.BLOCKS * JournalRig.BLOCK);
    JournalRig.format(device, LOG);
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      rig.change(3, A);
      rig.journal.close();
      rig.journal.close();
      assertThat(onDevice(device, A)).isEqualTo(3);
      assertThat(Errnos.of(() -> rig.journal.begin(1))).isEqualTo(Errno.EROFS);
    }
    try (LogFile log = LogFile.open(device, JournalRig.BLOCK, JournalRig.places(LOG))) {
      assertThat(log.start()).isZero();
    }
    device.close();
  }

  @Test
  void theLogIsACircle() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      for (int i = 1; i <= 200; i++) {
        rig.change(i, A + i % 7, A + i % 5 + 10);
        rig.journal.sync();
        if (i % 23 == 0) {
          try (JournalRig after = crash(rig)) {
            assertThat(after.version(A + i % 7)).isEqualTo(i);
            assertThat(after.version(A + i % 5 + 10)).isEqualTo(i);
          }
        }
      }
    }
  }

  @Test
  void contentThatLooksLikeTheLogIsEscaped() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      try (Transaction transaction = rig.journal.begin(1)) {
        Buffer buffer = transaction.change(A);
        buffer.setIntBig(0, LogLayout.MAGIC);
        buffer.setIntBig(4, LogLayout.COMMIT);
        buffer.setIntBig(8, 1);
      }
      rig.journal.sync();
      try (JournalRig after = crash(rig);
          Buffer buffer = after.cache.read(A)) {
        assertThat(buffer.getIntBig(0)).isEqualTo(LogLayout.MAGIC);
        assertThat(buffer.getIntBig(4)).isEqualTo(LogLayout.COMMIT);
      }
    }
  }

  @Test
  void whatWasFreedIsNotReplayedOverItsNextUse() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      rig.change(1, A, A + 1);
      rig.journal.sync();
      try (Transaction transaction = rig.journal.begin(1)) {
        transaction.forget(A);
        assertThat(rig.journal.reusable(A)).isFalse();
      }
      rig.change(2, A + 1);
      assertThat(rig.journal.reusable(A)).isFalse();
      rig.journal.sync();
      assertThat(rig.journal.reusable(A)).isTrue();
      rig.content(9, A, true);
      rig.journal.sync();
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(9);
        assertThat(after.version(A + 1)).isEqualTo(2);
      }
    }
  }

  @Test
  void aFreedBlockMayBecomeMetadataAgain() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      rig.change(1, A);
      rig.journal.sync();
      try (Transaction transaction = rig.journal.begin(2)) {
        transaction.forget(A);
        Stamps.write(transaction.create(A).block(), A, 2);
      }
      rig.journal.sync();
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(2);
      }
    }
  }

  @Test
  void manyThreadsShareACommit() throws Exception {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      List<Thread> threads = new ArrayList<>();
      List<Throwable> problems = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        long block = A + t;
        threads.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    for (int i = 1; i <= 40; i++) {
                      rig.change(i, block, A + 100 + i % 3 * 8L + block % 8);
                      rig.journal.await(rig.journal.point());
                    }
                  } catch (IOException | RuntimeException | Error problem) {
                    synchronized (problems) {
                      problems.add(problem);
                    }
                  }
                }));
      }
      for (Thread thread : threads) {
        assertThat(thread.join(java.time.Duration.ofMinutes(1))).isTrue();
      }
      assertThat(problems).isEmpty();
      try (JournalRig after = crash(rig)) {
        for (int t = 0; t < 8; t++) {
          assertThat(after.version(A + t)).isEqualTo(40);
        }
      }
    }
  }

  @Test
  void tellsWhenAPointIsStable() throws Exception {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      CompletableFuture<Long> told = new CompletableFuture<>();
      rig.change(4, A);
      rig.journal.whenStable(
          rig.journal.point(),
          failure -> told.complete(failure == null ? onDeviceLog(rig) : Long.valueOf(-1)));
      assertThat(told.get(60, TimeUnit.SECONDS)).isEqualTo(4);
    }
  }

  private static long onDeviceLog(JournalRig rig) {
    try (JournalRig after = crash(rig)) {
      return after.version(A);
    } catch (IOException e) {
      return -2;
    }
  }

  @Test
  void aTransactionHasLimits() throws IOException {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      assertThat(Errnos.of(() -> rig.journal.begin(LOG))).isEqualTo(Errno.ENOSPC);
      try (Transaction transaction = rig.journal.begin(LOG / 8)) {
        assertThatThrownBy(rig.journal::sync).isInstanceOf(IllegalStateException.class);
        transaction.change(A);
      }
    }
  }

  @Test
  void aFullGroupIsCommittedByItself() throws Exception {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      for (int i = 0; i < 200; i++) {
        rig.change(i + 1, A + i);
      }
      rig.journal.sync();
      try (JournalRig after = crash(rig)) {
        for (int i = 0; i < 200; i++) {
          assertThat(after.version(A + i)).isEqualTo(i + 1);
        }
      }
    }
  }

  @Test
  void aCommitWaitsForOpenTransactions() throws Exception {
    try (JournalRig rig = JournalRig.fresh(LOG, FRAMES)) {
      CountDownLatch synced = new CountDownLatch(1);
      Thread other;
      try (Transaction transaction = rig.journal.begin(2)) {
        Stamps.write(transaction.change(A).block(), A, 7);
        other =
            Thread.startVirtualThread(() -> {
              try {
                rig.journal.await(rig.journal.point());
                synced.countDown();
              } catch (IOException ignored) {
                // the latch shows it
              }
            });
        Stamps.write(transaction.change(A + 1).block(), A + 1, 7);
        assertThat(synced.getCount()).isOne();
      }
      assertThat(synced.await(60, TimeUnit.SECONDS)).isTrue();
      Await.end(other);
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(7);
        assertThat(after.version(A + 1)).isEqualTo(7);
      }
    }
  }

  @Test
  void contentThatIsFreedBeforeItIsCommittedIsNotWrittenAndTakesNoMemory() throws IOException {
    Set<Long> written = ConcurrentHashMap.newKeySet();
    try (BlockDevice device =
        new DeviceOverDevice(BlockDevices.memory(JournalRig.BLOCKS * JournalRig.BLOCK)) {
          @Override
          public void write(long position, Block from, long offset, int bytes) throws IOException {
            written.add(position / JournalRig.BLOCK);
            super.write(position, from, offset, bytes);
          }
        }) {
      JournalRig.format(device, 256);
      try (JournalRig rig = JournalRig.open(device, 256, 64)) {
        for (long block = JournalRig.FIRST; block < JournalRig.FIRST + 500; block++) {
          try (Transaction transaction = rig.journal.begin(0)) {
            transaction.data(block, true).close();
            transaction.forgetData(block, 1);
          }
          assertThat(rig.cache.cached(block)).isNull();
        }
        assertThat(rig.cache.dirtyBytes()).isZero();
        rig.journal.sync();
      }
    }
    assertThat(written).noneMatch(block -> block >= JournalRig.FIRST);
  }

  /// Checks content that is freed while a commit is under way. The transaction being committed
  /// guarantees the content; the freeing takes effect only when the next transaction is stable.
  @Test
  void contentIsWrittenForTheCommitUnderWayThoughItIsFreedMeanwhile() throws Exception {
    long other = A + 20;
    long freed = A + 21;
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    BlockDevice device =
        new DeviceOverDevice(BlockDevices.memory(JournalRig.BLOCKS * JournalRig.BLOCK)) {
          @Override
          public void write(long position, Block from, long offset, int bytes) throws IOException {
            if (position == other * JournalRig.BLOCK) {
              writing.countDown();
              pass(go);
            }
            super.write(position, from, offset, bytes);
          }
        };
    JournalRig.format(device, LOG);
    try (device;
        JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      rig.content(1, other, true);
      FutureTask<Boolean> writeBack = start(rig.cache::sync);
      pass(writing); // only one thread writes at a time, so the commit comes after
      rig.content(1, freed, true);
      rig.change(1, A);
      FutureTask<Boolean> sync = start(rig.journal::sync);
      try (Buffer buffer = rig.cache.read(freed)) {
        // the leases of the cache, of this test and of the commit
        Await.until("the lease of the commit", () -> buffer.block().leases() >= 3);
      }
      try (Transaction transaction = rig.journal.begin(0)) {
        transaction.forgetData(freed, 1);
      }
      go.countDown();
      assertThat(sync.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(writeBack.get(60, TimeUnit.SECONDS)).isTrue();
      try (JournalRig after = crash(rig)) {
        assertThat(after.version(A)).isEqualTo(1);
        assertThat(after.version(freed)).isEqualTo(1);
      }
      rig.journal.sync();
      assertThat(rig.cache.cached(freed)).as("gone with the commit that frees it").isNull();
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private static FutureTask<Boolean> start(Step step) {
    FutureTask<Boolean> task =
        new FutureTask<>(() -> {
          step.run();
          return true;
        });
    Thread _ = Thread.ofPlatform().start(task);
    return task;
  }

  private static void pass(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
