package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.Transport;
import sluice.sys.Errno;
import sluice.sys.EventFd;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.SubmissionQueue;

/// The engine on io_uring: everything staged goes into the submission queue, and one
/// `io_uring_enter` submits it, waits and collects the completions. Owned by the thread that turns
/// it first: that thread opens the ring, because a single-issuer ring belongs to a thread.
///
/// The ring is set up with `SINGLE_ISSUER | DEFER_TASKRUN`: completions appear only inside an
/// enter, so all input and output of a turn has happened when the first one is delivered. Receives
/// are multishot into provided buffers; sends are `MSG_WAITALL | MSG_DONTWAIT` with
/// `CQE_SKIP_SUCCESS`, so that success is silent; never ASYNC, LINK or DRAIN.
///
/// Lifecycle: opened by its owner → turned → closed: the ring cancels and drains everything in
/// flight before the arena's memory goes.
public final class IoUringEngine implements Engine {
  private static final int SUBMISSION_ENTRIES = 1024;
  private static final int COMPLETION_ENTRIES = 8192;
  private static final long WAKE = -1L;

  private final IoUring ring;
  private final SubmissionQueue submission;
  private final CompletionQueue completion;
  private final EventFd wakeEvent;
  private final MemorySegment wakeBuffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
  private final RingArena arena;
  private final IoUringTransport sockets;
  private final Thread owner = Thread.currentThread();
  private boolean wakeArmed;
  private boolean turning;
  private boolean closed;

  /// Completions of this turn that were delivered.
  private int drained;

  private IoUringEngine(IoUring ring, EngineConfig config) throws IOException {
    this.ring = ring;
    this.submission = ring.submission();
    this.completion = ring.completion();
    this.wakeEvent = EventFd.open(false);
    this.arena = new RingArena(ring, config);
    this.sockets = new IoUringTransport(this, ring, arena);
  }

  /// Opens the engine for the calling thread.
  ///
  /// @throws IOException saying what forbids it and how to allow it
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
  public Transport sockets() {
    return sockets;
  }

  @Override
  public int turn(long timeoutNanos, CompletionSink sink) {
    check();
    if (turning) {
      throw new IllegalStateException("turn was called from a completion of the same engine");
    }
    turning = true;
    try {
      enter(timeoutNanos);
      return drain(sink);
    } finally {
      turning = false;
    }
  }

  private void enter(long timeoutNanos) {
    if (!wakeArmed) {
      wakeArmed = true;
      submission.read(wakeEvent.fd(), wakeBuffer, 0, Long.BYTES, -1, WAKE);
    }
    arena.publish();
    int waiting = completion.available();
    int result =
        ring.enter(waiting > 0 || timeoutNanos == 0 ? 0 : 1, waiting > 0 ? 0 : timeoutNanos);
    if (result < 0 && !passing(result)) {
      throw new IllegalStateException("io_uring_enter failed with errno " + -result);
    }
    sockets.submitted();
  }

  /// EINTR, EAGAIN, EBUSY (completions to be drained first) and ETIME end a turn early.
  private static boolean passing(int result) {
    return result == -Errno.EINTR
        || result == -Errno.EAGAIN
        || result == -Errno.EBUSY
        || result == -Errno.ETIME;
  }

  private int drain(CompletionSink sink) {
    int count = completion.available();
    int delivered = 0;
    try {
      while (drained < count && !closed) { // the sink may close
        int i = drained++; // gone, even when the sink throws
        long token = completion.userData(i);
        if (token == WAKE) {
          wakeArmed = false;
        } else if (DirectSlots.isRefusal(token)) {
          sockets.slotRefused(token);
        } else if (token != SubmissionQueue.IGNORED) {
          int flags = completion.flags(i);
          if (Completion.hasChunk(flags)) {
            arena.filled(Completion.chunk(flags));
          }
          delivered++;
          sockets.completed(token, completion.result(i), flags);
          sink.complete(token, completion.result(i), flags);
        }
      }
    } finally {
      if (!closed) {
        completion.advance(drained);
      }
      drained = 0;
    }
    return delivered;
  }

  /// Hands over what is staged without waiting, for staging areas that are full.
  void submitNow() {
    int result = ring.enter(0, 0);
    if (result < 0 && !passing(result)) {
      throw new IllegalStateException("io_uring_enter failed with errno " + -result);
    }
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
    for (int i = drained; i < completion.available(); i++) { // for the sockets accepted by them
      sockets.completed(completion.userData(i), completion.result(i), completion.flags(i));
    }
    sockets.closeAll();
    ring.close();
    wakeEvent.close();
    arena.close();
  }

  /// The arena whose free chunks are in a provided-buffer ring, where the kernel chooses one.
  static final class RingArena extends ChunkPool {
    private static final int GROUP = 1;

    private final BufferRing buffers;
    private boolean unpublished;

    RingArena(IoUring ring, EngineConfig config) throws IOException {
      super(config.chunks(), config.chunkBytes());
      own(Thread.currentThread());
      buffers = ring.registerBufferRing(GROUP, segment(), config.chunks(), config.chunkBytes());
      for (int chunk = 0; chunk < config.chunks(); chunk++) {
        buffers.add(chunk);
      }
      buffers.commit();
    }

    int group() {
      return GROUP;
    }

    void filled(int chunk) {
      lend(chunk);
    }

    @Override
    protected void onFree(int chunk) {
      buffers.add(chunk);
      unpublished = true;
    }

    void publish() {
      if (unpublished) {
        unpublished = false;
        buffers.commit();
      }
    }
  }
}
