package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.FuseUring;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.IoUringProbe;
import sluice.sys.uring.Opcode;
import sluice.sys.uring.SubmissionQueue;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.Await;

@Timeout(120)
class IoUringTest {
  private static final int FLAGS = IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN;

  @Test
  void aNopCompletesWithItsUserData() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      ring.submission().nop(42);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      CompletionQueue queue = ring.completion();
      assertThat(queue.available()).isEqualTo(1);
      assertThat(queue.userData(0)).isEqualTo(42);
      assertThat(queue.result(0)).isZero();
      queue.advance(1);
      assertThat(queue.available()).isZero();
      assertThat(queue.overflow()).isZero();
    }
  }

  @Test
  void wideEntriesDoWhatNarrowOnesDo() throws Exception {
    try (IoUring ring = IoUring.open(4, 16, IoUring.SETUP_SQE128)) {
      for (int i = 1; i <= 10; i++) {
        ring.submission().nop(i);
      }
      ring.enter(1, 0);
      CompletionQueue queue = ring.completion();
      assertThat(queue.available()).isEqualTo(10);
      for (int i = 0; i < 10; i++) {
        assertThat(queue.userData(i)).isEqualTo(i + 1);
        assertThat(queue.result(i)).isZero();
      }
    }
  }

  @Test
  void aFileWithoutCommandsRefusesThemAndNarrowEntriesHaveNone() throws Exception {
    int fd = Files.memfd("commands");
    try (IoUring wide = IoUring.open(4, 8, IoUring.SETUP_SQE128);
        IoUring narrow = IoUring.open(4, 8, 0);
        Mapping memory = Mapping.anonymous(4096, false)) {
      FuseUring.register(wide.submission(), fd, 0, memory.segment(), 1);
      FuseUring.commitAndFetch(wide.submission(), fd, 0, 2, 2);
      wide.enter(2, -1);
      assertThat(Completions.results(wide))
          .containsEntry(1L, -Errno.EOPNOTSUPP)
          .containsEntry(2L, -Errno.EOPNOTSUPP);
      assertThatThrownBy(() -> FuseUring.commitAndFetch(narrow.submission(), fd, 0, 2, 2))
          .isInstanceOf(IllegalStateException.class);
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void registeredMemoryIsReadAndWritten() throws Exception {
    int fd = Files.memfd("fixed");
    try (IoUring ring = IoUring.open(8, 16, FLAGS);
        Mapping memory = Mapping.anonymous(8192, false)) {
      ring.registerBuffer(memory.segment());
      memory.segment().asSlice(0, 4096).fill((byte) 7);
      ring.submission().writeFixed(fd, memory.segment(), 0, 4096, 100, 1);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(Completions.results(ring)).containsEntry(1L, 4096);
      ring.submission().readFixed(fd, memory.segment(), 4096, 4096, 100, 2);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(Completions.results(ring)).containsEntry(2L, 4096);
      assertThat(memory.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 8191))
          .isEqualTo((byte) 7);
      ring.unregisterBuffers();
      ring.submission().readFixed(fd, memory.segment(), 4096, 4096, 100, 3);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(Completions.results(ring)).containsEntry(3L, -Errno.EFAULT);
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void rangesAreWrittenAndReadOneAfterAnother() throws Exception {
    int fd = Files.memfd("vector");
    try (IoUring ring = IoUring.open(8, 16, FLAGS);
        Mapping memory = Mapping.anonymous(8192, false);
        Mapping vector = Mapping.anonymous(4096, false)) {
      for (int i = 0; i < 300; i++) {
        memory.segment().set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) i);
      }
      IoVec.set(vector.segment(), 16, 0, memory.segment(), 200, 100);
      IoVec.set(vector.segment(), 16, 1, memory.segment(), 0, 200);
      ring.submission().writeVector(fd, vector.segment(), 16, 2, 50, 1);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(Completions.results(ring)).containsEntry(1L, 300);
      IoVec.set(vector.segment(), 0, 0, memory.segment(), 4096, 100);
      IoVec.set(vector.segment(), 0, 1, memory.segment(), 5000, 200);
      ring.submission().readVector(fd, vector.segment(), 0, 2, 50, 2);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(Completions.results(ring)).containsEntry(2L, 300);
      assertThat(memory.segment().asSlice(4096, 100).mismatch(memory.segment().asSlice(200, 100)))
          .isEqualTo(-1);
      assertThat(memory.segment().asSlice(5000, 200).mismatch(memory.segment().asSlice(0, 200)))
          .isEqualTo(-1);
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> ring.submission().readVector(fd, vector.segment(), 0, 0, 0, 3))
          .isInstanceOf(IllegalArgumentException.class);
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void aFullSubmissionQueueSubmitsByItself() throws Exception {
    try (IoUring ring = IoUring.open(4, 64, FLAGS)) {
      for (int i = 1; i <= 30; i++) {
        ring.submission().nop(i);
      }
      ring.enter(1, 0);
      CompletionQueue queue = ring.completion();
      assertThat(queue.available()).isEqualTo(30);
      for (int i = 0; i < 30; i++) {
        assertThat(queue.userData(i)).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void completionsBeyondTheQueueAreKeptByTheKernel() throws Exception {
    try (IoUring ring = IoUring.open(4, 4, FLAGS)) {
      for (int i = 1; i <= 20; i++) {
        ring.submission().nop(i);
      }
      int seen = 0;
      for (int turn = 0; turn < 50 && seen < 20; turn++) {
        ring.enter(1, TimeUnit.SECONDS.toNanos(1));
        int count = ring.completion().available();
        seen += count;
        ring.completion().advance(count);
      }
      assertThat(seen).isEqualTo(20);
      assertThat(ring.completion().overflow()).isZero();
    }
  }

  @Test
  void waitingEndsAfterTheTimeout() throws Exception {
    try (IoUring ring = IoUring.open(4, 8, FLAGS)) {
      long start = System.nanoTime();
      assertThat(ring.enter(1, TimeUnit.MILLISECONDS.toNanos(20))).isEqualTo(-Errno.ETIME);
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(19));
      assertThat(ring.enter(1, 0)).isZero();
    }
  }

  @Test
  void aTimeoutCompletesAndALinkedOneCancels() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS);
        IoUring other = IoUring.open(8, 16, FLAGS)) {
      ring.submission().timeout(TimeUnit.MILLISECONDS.toNanos(1), 7);
      ring.enter(1, -1);
      assertThat(ring.completion().userData(0)).isEqualTo(7);
      assertThat(ring.completion().result(0)).isEqualTo(-Errno.ETIME);
      ring.completion().advance(1);

      ring.submission().reserve(2);
      ring.submission().pollAdd(other.fd(), 1, false, 8);
      ring.submission().linkTimeout(TimeUnit.MILLISECONDS.toNanos(5), 9);
      ring.enter(2, -1);
      assertThat(Completions.results(ring))
          .containsEntry(8L, -Errno.ECANCELED)
          .containsEntry(9L, -Errno.ETIME);
      assertThatThrownBy(() -> ring.submission().linkTimeout(1, 1))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void oneRingCompletesInAnother() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS);
        IoUring other = IoUring.open(8, 16, FLAGS)) {
      ring.submission().msgRing(other.fd(), 77, 5);
      ring.submission().nop(1);
      ring.enter(1, -1);
      assertThat(Completions.results(ring)).containsOnlyKeys(1L);
      other.enter(1, TimeUnit.SECONDS.toNanos(5));
      assertThat(Completions.results(other)).containsEntry(77L, 5);
    }
  }

  @Test
  void aRegisteredRingWorksAsBefore() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      ring.registerRingFd();
      assertThat(ring.ringFdRegistered()).isTrue();
      ring.submission().nop(1);
      assertThat(ring.enter(1, -1)).isEqualTo(1);
      assertThat(ring.enters()).isEqualTo(1);
    }
  }

  @Test
  void closingGivesTheRegisteredNumberBack() throws Exception {
    for (int i = 0; i < 40; i++) { // the kernel allows 16 at once
      try (IoUring ring = IoUring.open(2, 4, FLAGS)) {
        ring.registerRingFd();
        assertThat(ring.ringFdRegistered()).isTrue();
      }
    }
  }

  @Test
  void virtualThreadsCannotOwnARing() throws Exception {
    Throwable[] caught = new Throwable[1];
    Thread.startVirtualThread(
            () -> {
              try {
                IoUring.open(2, 4, FLAGS).close();
              } catch (WrongThreadException | SysException refused) {
                caught[0] = refused;
              }
            })
        .join();
    assertThat(caught[0]).isInstanceOf(WrongThreadException.class);
  }

  /// The memory that the linker allocates for `errno` at each call. The compiler usually removes
  /// the allocation (see [Kernel]), but on a busy machine it may decide otherwise for good.
  private static final int LINKER_BYTES = 40;

  @Test
  @Timeout(240)
  void aTurnAllocatesNothing() throws Exception {
    try (IoUring ring = IoUring.open(64, 128, FLAGS)) {
      ring.registerRingFd();
      long allocated =
          AllocatedBytes.settled(
              8000,
              () -> {
                for (int i = 0; i < 2000; i++) {
                  turn(ring);
                }
              });
      assertThat(allocated)
          .as("bytes in 2000 turns")
          .isLessThanOrEqualTo(8000 + 2000 * LINKER_BYTES);
    }
  }

  private static void turn(IoUring ring) {
    for (int i = 1; i <= 8; i++) {
      ring.submission().nop(i);
    }
    ring.enter(8, TimeUnit.SECONDS.toNanos(1));
    CompletionQueue queue = ring.completion();
    int count = queue.available();
    for (int i = 0; i < count; i++) {
      if (queue.result(i) != 0 || queue.userData(i) == 0 || queue.flags(i) != 0) {
        throw new AssertionError("completion " + i);
      }
    }
    queue.advance(count);
  }

  @Test
  void cancelCompletesTheOperationAndNotItself() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      ring.submission().timeout(TimeUnit.HOURS.toNanos(1), 5);
      ring.enter(0, 0);
      ring.submission().cancel(5, SubmissionQueue.IGNORED);
      ring.enter(1, TimeUnit.SECONDS.toNanos(5));
      assertThat(Completions.results(ring)).containsOnlyKeys(5L).containsEntry(5L, -125);
      ring.submission().cancel(6, 66);
      ring.enter(1, TimeUnit.SECONDS.toNanos(5));
      assertThat(Completions.results(ring)).containsEntry(66L, -Errno.ENOENT);
    }
  }

  @Test
  void closingDoesNotGoOnCancellingWhenNothingIsLeft() throws Exception {
    IoUring ring = IoUring.open(4, 8, FLAGS);
    ring.submission().timeout(TimeUnit.HOURS.toNanos(1), 5);
    ring.enter(0, 0);
    long enters = ring.enters();
    ring.close();
    assertThat(ring.enters() - enters).isLessThan(20);
  }

  @Test
  void closeEndsWhatIsInFlightAndCanBeRepeated() throws Exception {
    IoUring ring = IoUring.open(8, 16, FLAGS);
    ring.registerRingFd();
    ring.submission().timeout(TimeUnit.HOURS.toNanos(1), 5);
    ring.enter(0, 0);
    ring.close();
    ring.close();
    assertThatThrownBy(() -> ring.submission().nop(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ring.enter(1, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ring.completion().available())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ring.registerFiles(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anotherThreadMayCloseOnlyAfterTheOwnerEnded() throws Exception {
    IoUring[] opened = new IoUring[1];
    Thread owner =
        new Thread(() -> {
          try {
            opened[0] = IoUring.open(8, 16, FLAGS);
            opened[0].registerRingFd();
            opened[0].submission().timeout(TimeUnit.HOURS.toNanos(1), 5);
            opened[0].enter(0, 0);
            Thread.sleep(100_000);
          } catch (SysException problem) {
            throw new AssertionError(problem);
          } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
          }
        });
    owner.start();
    Await.until("the owner's sleep", () -> owner.getState() == Thread.State.TIMED_WAITING);
    assertThatThrownBy(opened[0]::close).isInstanceOf(WrongThreadException.class);
    assertThatThrownBy(() -> opened[0].enter(0, 0)).isInstanceOf(WrongThreadException.class);
    owner.interrupt();
    owner.join();
    opened[0].close();
    assertThatThrownBy(() -> opened[0].submission().nop(1))
        .isInstanceOf(IllegalStateException.class);
  }

  /// Tests a ring without a single issuer: threads use it one after the other, and any thread
  /// closes it.
  @Test
  void aRingWithoutSingleIssuerChangesHands() throws Exception {
    IoUring ring = IoUring.open(8, 16, 0);
    assertThatThrownBy(ring::registerRingFd).isInstanceOf(IllegalStateException.class);
    ring.submission().timeout(TimeUnit.HOURS.toNanos(1), 5);
    ring.enter(0, 0);
    for (Thread.Builder builder : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
      Thread other =
          builder.start(() -> {
            ring.submission().nop(7);
            ring.enter(1, -1);
          });
      other.join();
      assertThat(Completions.results(ring)).containsEntry(7L, 0);
    }
    Thread closer = Thread.ofPlatform().start(ring::close);
    closer.join();
    assertThatThrownBy(() -> ring.submission().nop(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aRefusalExplainsItself() {
    assertThatThrownBy(() -> IoUring.open(8, 16, IoUring.SETUP_DEFER_TASKRUN))
        .isInstanceOfSatisfying(
            SysException.class,
            refused -> {
              assertThat(refused.errno()).isEqualTo(Errno.EINVAL);
              assertThat(refused.call()).isEqualTo("io_uring_setup");
              assertThat(refused).hasMessageContaining("Why: ").hasMessageContaining("Fix: ");
            });
  }

  @Test
  void theProbeKnowsWhatTheKernelHas() {
    IoUringProbe probe = IoUringProbe.run();
    assertThat(probe.available()).isTrue();
    assertThat(probe.whyNot()).isNull();
    assertThat(probe.deferTaskrun()).isTrue();
    assertThat(probe.supports(Opcode.SEND)).isTrue();
    assertThat(probe.supports(250)).isFalse();
    assertThat(probe.operationCount()).isGreaterThan(40);
  }
}
