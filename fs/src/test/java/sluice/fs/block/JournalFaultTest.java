package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Errnos;
import sluice.fs.FaultyDevice;
import sluice.fs.JournalRig;
import sluice.fs.Stamps;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// Tests failures of the device: the errno is right, nothing is written to a log that is no longer
/// trusted, and no thread waits for ever.
@Timeout(120)
final class JournalFaultTest {
  private static final int LOG = 128;
  private static final int FRAMES = 256;
  private static final int BLOCK = JournalRig.BLOCK;
  private static final long A = JournalRig.FIRST;

  private static boolean home(long position) {
    return position >= A * BLOCK;
  }

  private static boolean inLog(long position) {
    return position > 8 * BLOCK && position < (8 + LOG) * BLOCK;
  }

  private static FaultyDevice device() throws IOException {
    BlockDevice memory = BlockDevices.memory(JournalRig.BLOCKS * BLOCK);
    JournalRig.format(memory, LOG);
    return new FaultyDevice(memory);
  }

  /// Returns the version of a block after a crash at this moment and a replay on a working device.
  private static long afterCrash(FaultyDevice device, long block) throws IOException {
    device.heal();
    try (JournalRig after = JournalRig.open(JournalRig.copy(device), LOG, FRAMES)) {
      return after.version(block);
    }
  }

  private static void assertReadOnly(JournalRig rig) {
    assertThat(Errnos.of(() -> rig.journal.begin(1))).isEqualTo(Errno.EROFS);
    assertThat(Errnos.of(() -> rig.change(9, A))).isEqualTo(Errno.EROFS);
  }

  @Test
  void aReadThatFailsIsToldToAllReadersAndTriedAgainLater() throws Exception {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      device.readFails = JournalFaultTest::home;
      List<Callable<Integer>> work = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        work.add(() -> Errnos.of(() -> rig.cache.read(A)));
      }
      for (Future<Integer> errno : threads.invokeAll(work)) {
        assertThat(errno.get()).isEqualTo(Errno.EIO);
      }
      assertThat(Errnos.of(() -> rig.change(1, A))).isEqualTo(Errno.EIO);
      device.heal();
      rig.change(2, A);
      assertThat(rig.version(A)).isEqualTo(2);
      rig.journal.sync();
    }
  }

  @Test
  void readAheadOfWhatFailsHarmsNoReader() throws Exception {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      device.readFails = JournalFaultTest::home;
      rig.cache.readAhead(A, 16);
      Await.until("a read that fails", () -> device.failed.get() > 0);
      device.heal();
      assertThat(rig.version(A + 3)).isZero();
    }
  }

  @Test
  void contentThatCannotBeWrittenFailsTheCommit() throws IOException {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      rig.change(1, A);
      rig.journal.sync();
      device.writeFails = JournalFaultTest::home;
      rig.content(2, A + 5, true);
      rig.change(2, A);
      assertThat(Errnos.of(rig.journal::sync)).isEqualTo(Errno.EIO);
      assertReadOnly(rig);
      assertThat(afterCrash(device, A)).isEqualTo(1);
    }
  }

  @Test
  void aLogThatCannotBeWrittenIsTheEnd() throws IOException {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      rig.change(1, A);
      rig.journal.sync();
      device.torn = new Random(1);
      device.writeFails = JournalFaultTest::inLog;
      rig.change(2, A);
      assertThat(Errnos.of(rig.journal::sync)).isEqualTo(Errno.EIO);
      assertThat(Errnos.of(rig.journal::sync)).isEqualTo(Errno.EIO);
      assertReadOnly(rig);
      assertThat(rig.version(A)).as("reading goes on").isEqualTo(2);
      assertThat(afterCrash(device, A)).isEqualTo(1);
    }
  }

  @Test
  void aFlushThatFailsIsTheEnd() throws IOException {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      rig.change(1, A);
      rig.journal.sync();
      device.flushFails = () -> true;
      rig.change(2, A);
      assertThat(Errnos.of(rig.journal::sync)).isEqualTo(Errno.EIO);
      assertReadOnly(rig);
      assertThat(afterCrash(device, A)).isBetween(1L, 2L);
    }
  }

  @Test
  void blocksThatCannotReachTheirPlaceStayInTheLog() throws IOException {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      device.writeFails = JournalFaultTest::home;
      int stable = 0;
      int errno = 0;
      for (int i = 1; errno == 0 && i < 1000; i++) {
        int version = i;
        errno =
            Errnos.of(() -> {
              rig.change(version, A, A + version);
              rig.journal.sync();
            });
        stable = errno == 0 ? i : stable;
      }
      assertThat(errno).isEqualTo(Errno.EIO);
      assertThat(stable).isGreaterThan(10);
      assertReadOnly(rig);
      assertThat(afterCrash(device, A)).isEqualTo(stable);
    }
  }

  @Test
  void listenersAndWaitersHearOfTheEnd() throws Exception {
    FaultyDevice device = device();
    try (JournalRig rig = JournalRig.open(device, LOG, FRAMES)) {
      device.writeFails = JournalFaultTest::inLog;
      var told = new java.util.concurrent.CompletableFuture<Boolean>();
      rig.change(1, A);
      rig.journal.whenStable(rig.journal.point(), failure -> told.complete(failure != null));
      assertThat(told.get(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void withoutALogAWriteThatFailsIsToldAndTriedAgain() throws IOException {
    FaultyDevice device = new FaultyDevice(BlockDevices.memory(JournalRig.BLOCKS * BLOCK));
    try (BufferCache cache = BufferCaches.open(device, BLOCK, FRAMES * BLOCK)) {
      Journal journal = Journals.plain(cache);
      device.writeFails = position -> position == (A + 1) * BLOCK;
      for (long block = A; block < A + 3; block++) {
        try (Transaction transaction = journal.begin(1)) {
          Stamps.write(transaction.change(block).block(), block, 4);
        }
      }
      assertThat(Errnos.of(journal::sync)).isEqualTo(Errno.EIO);
      assertThat(cache.dirtyBytes()).as("the other blocks were written").isEqualTo(BLOCK);
      device.flushFails = () -> true;
      assertThat(Errnos.of(journal::sync)).isEqualTo(Errno.EIO);
      device.heal();
      journal.sync();
      assertThat(cache.dirtyBytes()).isZero();
      journal.close();
    }
    device.close();
  }

  @Test
  void aCacheFullOfWhatCannotBeWrittenRefusesChangesInsteadOfWaiting() throws IOException {
    FaultyDevice device = new FaultyDevice(BlockDevices.memory(JournalRig.BLOCKS * BLOCK));
    try (BufferCache cache = BufferCaches.open(device, BLOCK, FRAMES * BLOCK)) {
      Journal journal = Journals.plain(cache);
      device.writeFails = position -> true;
      int errno = 0;
      for (long block = 0; errno == 0 && block < 1000; block++) {
        long number = block;
        errno =
            Errnos.of(() -> {
              try (Transaction transaction = journal.begin(1)) {
                transaction.data(number, true).close();
              }
            });
      }
      assertThat(errno).isEqualTo(Errno.EIO);
      device.heal();
      journal.close();
    }
    device.close();
  }

  @Test
  void anOpeningThatFailsLeavesNothingBehind() throws IOException {
    FaultyDevice device = device();
    device.flushFails = () -> true;
    assertThat(Errnos.of(() -> JournalRig.open(device, LOG, FRAMES))).isEqualTo(Errno.EIO);
    device.heal();
    device.readFails = position -> position == 8 * BLOCK;
    assertThat(Errnos.of(() -> JournalRig.open(device, LOG, FRAMES))).isEqualTo(Errno.EIO);
    device.heal();
    JournalRig.open(device, LOG, FRAMES).close();
    device.close();
  }
}
