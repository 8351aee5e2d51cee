package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.sys.EventFd;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;
import sluice.sys.uring.SubmissionQueue;

/// The io_uring engine. Staged operations are written to the submission queue, and one
/// `io_uring_enter` submits them, waits and collects the completions. Owned by the first thread
/// that turns it. That thread opens the ring, because a single-issuer ring belongs to a thread.
///
/// The ring is set up with `SINGLE_ISSUER | DEFER_TASKRUN`. Completions therefore appear only
/// inside an enter, so all input and output of a turn has been performed when the first completion
/// is delivered. Receives are multishot and use provided buffers. Sends are `MSG_WAITALL |
/// MSG_DONTWAIT` with `CQE_SKIP_SUCCESS`, so that success is silent. ASYNC, LINK and DRAIN are
/// never used.
///
/// Lifecycle: opened by its owner → turned → closed. When it is closed, the ring cancels and drains
/// all operations in flight before the arena's memory is released.
public final class IoUringEngine implements Engine {
  private static final int SUBMISSION_ENTRIES = 1024;
  private static final int COMPLETION_ENTRIES = 8192;
  private static final long WAKE = -1L;

  /// The number of chunks initially provided to the kernel, which is the amount of data that a few
  /// dozen clients send at the same time.
  private static final int FIRST_SHOWN = 16;

  private static final CompletionSink NO_TURN =
      (token, result, flags) -> {
        throw new IllegalStateException("a completion outside of a turn");
      };

  private final IoUring ring;
  private final SubmissionQueue submission;
  private final RingDriver driver;
  private final RingDriver.Sink completions = this::completed;
  private final EventFd wakeEvent;
  private final MemorySegment wakeBuffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
  private final ReceiveArena arena;
  private final IoUringTransport sockets;
  private final Thread owner = Thread.currentThread();
  private boolean wakeArmed;
  private boolean turning;
  private boolean closed;

  /// The sink of the turn in progress, and the number of completions delivered to it.
  private CompletionSink sink = NO_TURN;

  private int delivered;

  private IoUringEngine(IoUring ring, EngineConfig config) throws IOException {
    this.ring = ring;
    this.submission = ring.submission();
    this.driver = new RingDriver(ring);
    this.wakeEvent = EventFd.open(false);
    int shown = Math.min(config.chunks(), FIRST_SHOWN);
    OwnChunks chunks = new OwnChunks(config.chunks(), config.chunkBytes());
    this.arena = new ReceiveArena(ring, chunks, config.chunks(), shown);
    arena.own(owner);
    this.sockets = new IoUringTransport(this, ring, arena);
  }

  /// Opens the engine for the calling thread.
  ///
  /// @throws IOException if io_uring is not available; the message states the reason and the fix
  public static IoUringEngine open(EngineConfig config) throws IOException {
    IoUring ring =
        IoUring.open(
            SUBMISSION_ENTRIES,
            COMPLETION_ENTRIES,
            IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN);
    try {
      ring.registerRingFd();
      return new IoUringEngine(ring, config);
    } catch (IOException | RuntimeException e) {
      ring.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return "io_uring";
  }

  @Override
  public KernelTransport sockets() {
    return sockets;
  }

  @Override
  public int turn(long timeoutNanos, CompletionSink sink) {
    check();
    if (turning) {
      throw new IllegalStateException("turn was called from a completion of the same engine");
    }
    turning = true;
    this.sink = sink;
    delivered = 0;
    try {
      if (!wakeArmed) {
        wakeArmed = true;
        submission.read(wakeEvent.fd(), wakeBuffer, 0, Long.BYTES, -1, WAKE);
      }
      arena.publish();
      driver.turn(timeoutNanos);
      sockets.submitted();
      driver.drain(completions);
      return delivered;
    } finally {
      turning = false;
      this.sink = NO_TURN;
    }
  }

  private void completed(long token, int result, int flags) {
    if (token == WAKE) {
      wakeArmed = false;
    } else if (DirectSlots.isRefusal(token)) {
      sockets.slotRefused(token);
    } else if (token != SubmissionQueue.IGNORED) {
      long piece =
          Completion.hasChunk(flags)
              ? arena.taken(flags, Math.max(0, result))
              : Completion.at(flags, 0);
      delivered++;
      sockets.completed(token, result, flags);
      sink.complete(token, result, piece);
    }
  }

  /// Submits the staged operations without waiting, because the staging areas are full.
  void submitNow() {
    driver.turn(0);
  }

  @Override
  public void wake() {
    wakeEvent.signal();
  }

  @Override
  public int pollOnce(int fd, int events, long token) {
    check();
    submission.pollAdd(fd, events, false, token);
    return 0;
  }

  @Override
  public void cancel(long token) {
    check();
    submission.cancel(token, SubmissionQueue.IGNORED);
  }

  @Override
  public long systemCalls() {
    return ring.enters() + sockets.systemCalls();
  }

  private void check() {
    if (Thread.currentThread() != owner) {
      throw new WrongThreadException("this engine belongs to " + owner);
    }
    if (closed) {
      throw new IllegalStateException("the engine is closed");
    }
  }

  void checkOwner() {
    check();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (owner.isAlive()) {
      check();
    }
    closed = true;
    driver.end(sockets::completed); // some of them have accepted sockets
    sockets.closeAll();
    ring.close();
    wakeEvent.close();
    arena.close();
  }
}
