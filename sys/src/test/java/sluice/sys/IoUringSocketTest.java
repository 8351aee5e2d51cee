package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.SubmissionQueue;
import sluice.testbase.Await;

/// Tests the behavior of sockets in a ring on which the event loop relies.
@Timeout(120)
class IoUringSocketTest {
  private static final int FLAGS = IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /// The flags of a send that completes only if not all bytes were taken.
  private static final int SILENT =
      Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private static final int BUFFERS = 4;
  private static final int BUFFER_BYTES = 1024;
  private static final int GROUP = 3;

  private IoUring ring;
  private SubmissionQueue submission;
  private CompletionQueue completion;
  private SocketPair pair;
  private Mapping arena;

  @BeforeEach
  void open() throws Exception {
    ring = IoUring.open(16, 64, FLAGS);
    ring.registerRingFd();
    submission = ring.submission();
    completion = ring.completion();
    pair = SocketPair.open();
    arena = Mapping.anonymous((long) BUFFERS * BUFFER_BYTES, true);
  }

  @AfterEach
  void close() {
    ring.close();
    pair.close();
    arena.close();
  }

  private BufferRing buffers() throws SysException {
    BufferRing buffers = ring.registerBufferRing(GROUP, arena.segment(), BUFFERS, BUFFER_BYTES);
    for (int i = 0; i < BUFFERS; i++) {
      buffers.add(i);
    }
    buffers.commit();
    return buffers;
  }

  private void await(int count) {
    while (completion.available() < count) {
      int result = ring.enter(count - completion.available(), 60 * SECOND);
      assertThat(result).as("io_uring_enter: " + Errno.name(result)).isNotNegative();
    }
  }

  private static void write(int fd, int length) {
    try (Arena arena = Arena.ofConfined()) {
      assertThat(Sockets.send(fd, arena.allocate(length), 0, length, Sockets.MSG_NOSIGNAL))
          .isEqualTo(length);
    }
  }

  @Test
  void oneAcceptTakesManyConnections() throws Exception {
    submission.acceptMultishot(pair.listener(), 1);
    ring.enter(0, 0);
    int first = SocketPair.connect(pair.listener());
    int second = SocketPair.connect(pair.listener());
    await(2);
    for (int i = 0; i < 2; i++) {
      assertThat(completion.userData(i)).isEqualTo(1);
      assertThat(completion.flags(i) & Cqe.F_MORE).isNotZero();
      int fd = completion.result(i);
      assertThat(Sockets.getpeername(fd)).isNotNull();
      assertThat(Files.statusFlags(fd) & Files.O_NONBLOCK).isZero();
      Files.close(fd);
    }
    completion.advance(2);
    Files.close(first);
    Files.close(second);
  }

  @Test
  void oneReceiveFillsManyBuffersUntilNoneIsLeft() throws Exception {
    BufferRing buffers = buffers();
    assertThat(buffers.held()).isEqualTo(BUFFERS);
    submission.receiveMultishot(pair.server(), false, GROUP, 2);
    ring.enter(0, 0);
    boolean[] used = new boolean[BUFFERS];
    for (int i = 1; i <= BUFFERS; i++) {
      write(pair.client(), i);
      await(1);
      assertThat(completion.result(0)).isEqualTo(i);
      assertThat(completion.flags(0) & Cqe.F_BUFFER).isNotZero();
      assertThat(completion.flags(0) & Cqe.F_MORE).isNotZero();
      int id = completion.flags(0) >>> Cqe.BUFFER_SHIFT;
      assertThat(used[id]).isFalse();
      used[id] = true;
      completion.advance(1);
    }
    assertThat(buffers.held()).isZero();
    write(pair.client(), 5);
    await(1);
    assertThat(completion.result(0)).isEqualTo(-Errno.ENOBUFS);
    assertThat(completion.flags(0) & Cqe.F_MORE).isZero();
    completion.advance(1);

    buffers.add(2);
    buffers.commit();
    submission.receiveMultishot(pair.server(), false, GROUP, 2);
    await(1);
    assertThat(completion.result(0)).isEqualTo(5);
    assertThat(completion.flags(0) >>> Cqe.BUFFER_SHIFT).isEqualTo(2);
    completion.advance(1);
  }

  @Test
  void receivedBytesLieInTheBuffer() throws Exception {
    buffers();
    submission.receiveMultishot(pair.server(), false, GROUP, 2);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment text = confined.allocateFrom("buffer");
      submission.send(pair.client(), false, text, 0, 7, SILENT, true, 9);
      await(1);
      int id = completion.flags(0) >>> Cqe.BUFFER_SHIFT;
      assertThat(completion.userData(0)).isEqualTo(2);
      assertThat(arena.segment().getString((long) id * BUFFER_BYTES)).isEqualTo("buffer");
      completion.advance(1);
    }
    Sockets.shutdown(pair.client(), Sockets.SHUT_WR);
    await(1);
    assertThat(completion.result(0)).isZero();
    assertThat(completion.flags(0) & Cqe.F_MORE).isZero();
    completion.advance(1);
  }

  @Test
  void silenceIsSuccess() throws Exception {
    try (Arena confined = Arena.ofConfined()) {
      Sockets.setsockopt(pair.client(), Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, 16 * 1024);
      int large = 16 << 20;
      MemorySegment bytes = confined.allocate(large);
      submission.send(pair.client(), false, bytes, 0, 100, SILENT, true, 4);
      assertThat(ring.enter(0, 0)).isEqualTo(1);
      assertThat(completion.available()).as("it fits: silence").isZero();
      assertThat(Sockets.recv(pair.server(), bytes, 0, 200, 0)).isEqualTo(100);

      submission.send(pair.client(), false, bytes, 0, large, SILENT, true, 5);
      ring.enter(0, 0);
      assertThat(completion.available()).as("too long: the count").isEqualTo(1);
      assertThat(completion.userData(0)).isEqualTo(5);
      int taken = completion.result(0);
      assertThat(taken).isBetween(1, large - 1);
      completion.advance(1);

      int refusal = 0;
      Await await = new Await();
      while (refusal >= 0) { // the receiver's window may still grow
        await.check("a full socket");
        submission.send(pair.client(), false, bytes, 0, large, SILENT, true, 6);
        ring.enter(0, 0);
        assertThat(completion.available()).isEqualTo(1);
        refusal = completion.result(0);
        completion.advance(1);
        taken += Math.max(0, refusal);
      }
      assertThat(refusal).as("full").isEqualTo(-Errno.EAGAIN);

      int received = 0;
      while (received < taken) {
        int count = Sockets.recv(pair.server(), bytes, 0, large, 0);
        assertThat(count).isPositive();
        received += count;
      }
      assertThat(Sockets.recv(pair.server(), bytes, 0, 1, Sockets.MSG_DONTWAIT))
          .as("nothing stays in flight")
          .isEqualTo(-Errno.EAGAIN);
      assertThat(received).isEqualTo(taken);
    }
  }

  @Test
  void aGatheringSendIsSilentToo() throws Exception {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment text = confined.allocateFrom("abcdef");
      MemorySegment vector = confined.allocate(2L * IoVec.SIZE, 8);
      MemorySegment header = confined.allocate(MsgHeader.SIZE, 8);
      IoVec.set(vector, 0, 0, text, 4, 2);
      IoVec.set(vector, 0, 1, text, 0, 2);
      MsgHeader.set(header, 0, vector, 0, 2);
      submission.sendMessage(pair.client(), false, header, 0, SILENT, true, 7);
      ring.enter(0, 0);
      header.fill((byte) 0); // the kernel has its copy
      vector.fill((byte) 0);
      assertThat(completion.available()).isZero();
      MemorySegment in = confined.allocate(8);
      assertThat(Sockets.recv(pair.server(), in, 0, 8, 0)).isEqualTo(4);
      assertThat(in.getString(0)).isEqualTo("efab");
    }
  }

  @Test
  void aSendAfterAResetFails() throws Exception {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment bytes = confined.allocate(1);
      assertThat(Sockets.disconnect(pair.server())).isZero();
      awaitReset(pair.client());
      submission.send(pair.client(), false, bytes, 0, 1, SILENT, true, 8);
      await(1);
      assertThat(completion.result(0)).isIn(-Errno.EPIPE, -Errno.ECONNRESET);
      completion.advance(1);
    }
  }

  /// Waits for a reset of the connection. A busy kernel delivers it a little later, and until then
  /// a send succeeds.
  private static void awaitReset(int fd) {
    PollFds fds = new PollFds(1);
    fds.set(0, fd, 0);
    assertThat(fds.poll(1, 60 * SECOND)).isEqualTo(1);
    assertThat(fds.revents(0) & PollFds.POLLERR).isNotZero();
  }

  @Test
  void anOrdinarySendWaitsAndCompletesOnce() throws Exception {
    try (Arena shared = Arena.ofShared()) {
      Sockets.setsockopt(pair.client(), Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, 16 * 1024);
      int large = 1 << 20;
      MemorySegment bytes = shared.allocate(large);
      int flags = Sockets.MSG_WAITALL | Sockets.MSG_NOSIGNAL;
      submission.send(pair.client(), false, bytes, 0, large, flags, false, 11);
      ring.enter(0, 0);
      assertThat(completion.available()).isZero();
      MemorySegment in = shared.allocate(1 << 20);
      int received = 0;
      Await await = new Await();
      while (received < large) {
        await.check("all bytes");
        int count = Sockets.recv(pair.server(), in, 0, 1 << 20, Sockets.MSG_DONTWAIT);
        received += Math.max(count, 0);
        ring.enter(0, 0);
      }
      await(1);
      assertThat(completion.result(0)).isEqualTo(large);
      completion.advance(1);
    }
  }

  @Test
  void cancelEndsAnArmedReceive() throws Exception {
    buffers();
    submission.receiveMultishot(pair.server(), false, GROUP, 12);
    ring.enter(0, 0);
    submission.cancel(12, SubmissionQueue.IGNORED);
    await(1);
    assertThat(completion.available()).isEqualTo(1);
    assertThat(completion.userData(0)).isEqualTo(12);
    assertThat(completion.result(0)).isEqualTo(-Errno.ECANCELED);
    completion.advance(1);
  }

  @Test
  void pollsAreArmedAndRemoved() throws Exception {
    submission.pollAdd(pair.server(), PollFds.POLLIN, false, 13);
    submission.pollAdd(pair.server(), PollFds.POLLIN, true, 14);
    ring.enter(0, 0);
    write(pair.client(), 1);
    await(2);
    assertThat(Completions.results(ring))
        .containsEntry(13L, PollFds.POLLIN)
        .containsEntry(14L, PollFds.POLLIN);
    submission.pollRemove(14, SubmissionQueue.IGNORED);
    await(1);
    assertThat(Completions.results(ring)).isEqualTo(Map.of(14L, -Errno.ECANCELED));
  }

  @Test
  void connectShutdownAndCloseCompleteAsStated() throws Exception {
    var address = Objects.requireNonNull(Sockets.getsockname(pair.listener()));
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment encoded = SocketAddresses.encode(address, confined);
      submission.connect(fd, false, encoded, 0, (int) encoded.byteSize(), 15);
      await(1);
    }
    assertThat(Completions.results(ring)).containsEntry(15L, 0);
    submission.shutdown(fd, false, Sockets.SHUT_WR, 16);
    await(1);
    assertThat(Completions.results(ring)).containsEntry(16L, 0);
    submission.close(fd);
    ring.enter(0, 0);
    assertThat(completion.available()).isZero();
    assertThat(Files.statusFlags(fd)).isEqualTo(-Errno.EBADF);
    submission.close(fd);
    await(1);
    assertThat(Completions.results(ring)).containsEntry(SubmissionQueue.IGNORED, -Errno.EBADF);
  }

  @Test
  void aSlotSendsForASocketAndHoldsItOpen() throws Exception {
    ring.registerFiles(1024);
    submission.accept(pair.listener(), 20);
    ring.enter(0, 0);
    int client = SocketPair.connect(pair.listener());
    await(1);
    int fd = completion.result(0);
    completion.advance(1);
    assertThat(fd).isBetween(0, 1023);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment number = confined.allocateFrom(ValueLayout.JAVA_INT, fd);
      submission.fillSlot(fd, number, 0, 21);
      submission.send(fd, true, arena.segment(), 0, 4, SILENT, true, 22);
      ring.enter(0, 0);
      assertThat(completion.available()).as("both say nothing").isZero();
      assertThat(Sockets.recv(client, confined.allocate(8), 0, 8, 0)).isEqualTo(4);
      submission.close(fd);
      ring.enter(0, 0);
      int flags = Sockets.MSG_DONTWAIT;
      assertThat(Sockets.recv(client, confined.allocate(8), 0, 8, flags)).isEqualTo(-Errno.EAGAIN);
      submission.closeDirect(fd);
      ring.enter(0, 0);
      assertThat(Sockets.recv(client, confined.allocate(8), 0, 8, 0)).isZero();
    }
    Files.close(client);
  }

  @Test
  void aSlotThatCannotBeFilledIsTold() throws Exception {
    ring.registerFiles(1);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment number = confined.allocateFrom(ValueLayout.JAVA_INT, pair.listener());
      submission.fillSlot(1, number, 0, 23);
      await(1);
      assertThat(Completions.results(ring).get(23L)).isNegative();
    }
  }

  @Test
  void filesAreReadAndWritten() throws Exception {
    int fd = Files.memfd("ring-test");
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment text = confined.allocateFrom("0123456789");
      submission.write(fd, text, 2, 5, 10, 30);
      await(1);
      assertThat(Completions.results(ring)).containsEntry(30L, 5);
      MemorySegment in = confined.allocate(32);
      submission.read(fd, in, 1, 31, 8, 31);
      await(1);
      assertThat(Completions.results(ring)).containsEntry(31L, 7);
      assertThat(in.getString(3)).isEqualTo("23456");
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void linkedTimeoutsStrikeOnlyWhenTheOperationIsLate() throws Exception {
    submission.reserve(4);
    submission.pollAdd(pair.server(), PollFds.POLLIN, false, 40);
    submission.linkTimeout(SECOND / 100, 41);
    submission.pollAdd(pair.server(), PollFds.POLLOUT, false, 42);
    submission.linkTimeout(3600 * SECOND, 43);
    await(4);
    assertThat(Completions.results(ring))
        .containsEntry(40L, -Errno.ECANCELED)
        .containsEntry(41L, -Errno.ETIME)
        .containsEntry(42L, PollFds.POLLOUT)
        .containsEntry(43L, -Errno.ECANCELED);
  }

  @Test
  void afterCloseTheKernelTouchesTheBuffersNoMore() throws Exception {
    buffers();
    submission.receiveMultishot(pair.server(), false, GROUP, 50);
    submission.acceptMultishot(pair.listener(), 51);
    submission.pollAdd(pair.server(), PollFds.POLLIN, true, 52);
    submission.timeout(3600 * SECOND, 53);
    ring.enter(0, 0);
    ring.close();
    write(pair.client(), 100);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment in = confined.allocate(200);
      assertThat(Sockets.recv(pair.server(), in, 0, 200, 0)).isEqualTo(100);
    }
    assertThat(arena.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
    Files.close(pair.server());
    pair = new SocketPair(pair.listener(), pair.client(), -1); // not closed twice
    try (Arena confined = Arena.ofConfined()) {
      assertThat(Sockets.recv(pair.client(), confined.allocate(1), 0, 1, 0))
          .as("the closed ring does not keep the connection open")
          .isZero();
    }
  }

  @Test
  void closeSubmitsWhatIsStagedAndCancelsThatToo() throws Exception {
    buffers();
    int another = SocketPair.connect(pair.listener());
    submission.receiveMultishot(pair.server(), false, GROUP, 60);
    submission.close(another);
    ring.close();
    assertThat(Files.statusFlags(another)).isEqualTo(-Errno.EBADF);
    write(pair.client(), 100);
    try (Arena confined = Arena.ofConfined()) {
      assertThat(Sockets.recv(pair.server(), confined.allocate(200), 0, 200, 0)).isEqualTo(100);
    }
  }

  @Test
  void rangesAreChecked() {
    MemorySegment four = Arena.ofAuto().allocate(4);
    assertThatThrownBy(() -> submission.send(1, false, four, 1, 4, 0, false, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> submission.read(1, four.asReadOnly(), 0, 4, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> submission.write(1, MemorySegment.ofArray(new byte[4]), 0, 4, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
    Arena closed = Arena.ofConfined();
    MemorySegment gone = closed.allocate(4);
    closed.close();
    assertThatThrownBy(() -> submission.write(1, gone, 0, 4, 0, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ring.registerBufferRing(GROUP, four, 3, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ring.registerBufferRing(GROUP, four, 4, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(submission.staged()).isZero();
  }

  /// Tests an incremental group. Kernels before 6.12 reject the flag, which is how callers detect
  /// them.
  @Test
  void anIncrementalGroupFillsABufferBitByBit() throws Exception {
    BufferRing buffers;
    try {
      buffers = ring.registerBufferRing(GROUP, arena.segment(), 2, BUFFER_BYTES, true);
    } catch (SysException old) {
      assertThat(old.errno()).isEqualTo(Errno.EINVAL);
      return;
    }
    buffers.add(BUFFERS - 1); // not one of the first two: ids count pieces of the region
    buffers.add(0);
    buffers.commit();
    submission.receiveMultishot(pair.server(), false, GROUP, 2);
    ring.enter(0, 0);
    int half = BUFFER_BYTES / 2;
    int[] sizes = {half, BUFFER_BYTES - half, 1};
    int[] ids = {BUFFERS - 1, BUFFERS - 1, 0};
    boolean[] goesOn = {true, false, true};
    for (int i = 0; i < sizes.length; i++) {
      write(pair.client(), sizes[i]);
      await(1);
      assertThat(completion.result(0)).isEqualTo(sizes[i]);
      assertThat(completion.flags(0) >>> Cqe.BUFFER_SHIFT).isEqualTo(ids[i]);
      assertThat((completion.flags(0) & Cqe.F_BUF_MORE) != 0).isEqualTo(goesOn[i]);
      completion.advance(1);
    }
  }

  @Test
  void aGroupIsRegisteredOnce() throws Exception {
    BufferRing buffers = buffers();
    assertThat(buffers.count()).isEqualTo(BUFFERS);
    assertThat(buffers.bufferBytes()).isEqualTo(BUFFER_BYTES);
    assertThatThrownBy(() -> buffers.add(BUFFERS)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ring.registerBufferRing(GROUP, arena.segment(), BUFFERS, BUFFER_BYTES))
        .isInstanceOf(SysException.class)
        .hasMessageContaining("EEXIST")
        .hasMessageContaining("another group");
  }
}
