package sluice.fs.fuse;

import java.io.IOException;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.threads.Affinity;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.FuseUring;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;

/// Handles the requests of one queue of FUSE over io_uring sequentially. The worker runs in its own
/// thread, which owns a ring and blocks in it until a request arrives.
///
/// The worker has a single entry, so the kernel does not send it another request while it is
/// processing one, but sends it to another thread of the same queue. A single system call commits a
/// reply and waits for the next request. The thread remains on the processor of its queue.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | busy | its thread | volatile | volatile |
/// | armed, calls | its thread | plain; `calls` by others when it has ended | plain |
final class FuseRingWorker implements FuseServer {
  private static final int ENTRIES = 2;
  private static final long COMMAND = 1;
  private static final int RING_FLAGS =
      IoUring.SETUP_SQE128 | IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN;

  private final FuseSession session;
  private final int fd;
  private final int queue;
  private final FuseRings rings;
  private final FuseExchange x;
  private final FuseRingEntry entry;

  /// True if the kernel may write to the entry.
  private boolean armed;

  /// The result of the last command.
  private int commandResult;

  private final RingDriver.Sink command = (_, result, _) -> commandResult = result;

  private long calls;
  private volatile boolean busy;

  /// Creates a worker.
  ///
  /// @param fd a descriptor of the device, which the worker closes at its end, also if this
  ///   constructor fails
  /// @param queue the number of a processor
  FuseRingWorker(FuseSession session, int fd, int queue, Account account, FuseRings rings)
      throws IOException {
    this.session = session;
    this.fd = fd;
    this.queue = queue;
    this.rings = rings;
    try {
      x = new FuseExchange(session, account);
      x.device = fd;
    } catch (IOException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
    entry = new FuseRingEntry(x);
  }

  @Override
  public boolean busy() {
    return busy;
  }

  /// Returns the number of system calls. For tests, after the thread has ended.
  long calls() {
    return calls;
  }

  @Override
  public void run() {
    IoUring ring;
    try {
      ring = open();
    } catch (IOException | RuntimeException e) {
      close();
      rings.opened(String.valueOf(e.getMessage()));
      return;
    }
    rings.opened("");
    try (ring) {
      if (rings.awaitUse() && register(ring)) {
        stayWhereAsked();
        serve(ring, new RingDriver(ring));
      }
      calls = ring.enters();
    } catch (RuntimeException | Error e) {
      lost(e.toString());
    } finally {
      busy = false;
      close();
    }
  }

  private static IoUring open() throws IOException {
    return IoUring.open(ENTRIES, 2 * ENTRIES, RING_FLAGS);
  }

  /// Registers the entry with the kernel.
  ///
  /// @return false if the kernel rejects it
  private boolean register(IoUring ring) {
    int refusal = -Errno.EIO;
    try {
      FuseUring.register(ring.submission(), fd, queue, entry.vector(), COMMAND);
      armed = true;
      int entered = ring.enter(0, 0);
      CompletionQueue done = ring.completion();
      if (done.available() > 0 && done.result(0) < 0) {
        entered = done.result(0);
        armed = false;
      }
      refusal = Math.min(0, entered);
    } finally {
      rings.registered(refusal); // a thread waits for this call
    }
    return refusal == 0;
  }

  /// Binds the thread to the processor of its queue. This processor is free because the program
  /// that sent the request is waiting, and waking up another processor takes several times longer
  /// than the reply. If the thread is not allowed to run on this processor, it runs on any other
  /// one.
  private void stayWhereAsked() {
    int _ = Affinity.bind(queue);
  }

  private void serve(IoUring ring, RingDriver driver) {
    int result = await(driver);
    while (result >= 0) {
      busy = true;
      entry.answer();
      busy = false;
      result = handOver(ring, driver);
      if (result < 0 && !armed && !isEnd(-result)) {
        // The kernel has not seen a command for which it could not allocate memory. It may not
        // recognize a command that arrives while the connection is being closed.
        result = handOver(ring, driver);
      }
    }
    if (!isEnd(-result)) {
      lost(Errno.name(-result));
    }
  }

  /// Reports that there may be no worker left for the requests of this queue.
  private void lost(String how) {
    session.broken("FUSE queue " + queue + " has lost a thread: " + how);
  }

  /// Commits a reply and waits for the next request, see [#await].
  private int handOver(IoUring ring, RingDriver driver) {
    FuseUring.commitAndFetch(ring.submission(), fd, queue, entry.commitId(), COMMAND);
    armed = true;
    return await(driver);
  }

  /// Submits the command and waits for it.
  ///
  /// @return the result of the command, or the error of the wait, in which case the command remains
  ///   armed
  private int await(RingDriver driver) {
    int failed = driver.await();
    if (failed == 0) {
      driver.drain(command);
      armed = false;
    }
    return failed == 0 ? commandResult : failed;
  }

  /// Returns true if the error indicates that the connection was closed.
  private static boolean isEnd(int errno) {
    return errno == Errno.ENOTCONN || errno == Errno.ECONNABORTED || errno == Errno.ECANCELED;
  }

  @Override
  public void close() {
    if (!armed) {
      x.close(); // otherwise the kernel may write to the memory until it has closed the ring
    }
    Files.close(fd);
  }
}
