package sluice.loop.readiness;

import static sluice.sys.Errno.EOPNOTSUPP;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.KernelTransport;

/// An [Engine] that combines a readiness mechanism ([Demultiplexer]) with non-blocking socket calls
/// ([ReadinessSockets]). It is owned by the first thread that turns it, which calls all methods
/// except [#wake].
///
/// A turn performs the staged operations (sends are tried immediately), registers changes with the
/// demultiplexer, waits, receives, continues the operations that are ready, and finally delivers
/// the completions.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | owner, turning, and all state behind the transport | owner | plain | plain |
/// | closed | owner | plain by the owner, under `wakeLock` by wakers | under `wakeLock` |
final class ReadinessEngine implements Engine {
  private final String name;
  private final Demultiplexer demultiplexer;
  private final ReadinessSockets device;
  private final boolean rawDescriptors;
  private final ChunkPool pool;
  private final ReadinessStage stage = new ReadinessStage();
  private final ReadinessResults results = new ReadinessResults();
  private final ReadinessOperations operations;
  private final ReadinessTransport transport;
  private final Object wakeLock = new Object();
  private @Nullable Thread owner;
  private boolean turning;
  private boolean closed;

  /// Creates an engine that takes ownership of its arguments and closes them.
  ///
  /// @param rawDescriptors true if it can watch descriptors other than those of its own sockets
  ReadinessEngine(
      String name,
      Demultiplexer demultiplexer,
      ReadinessSockets device,
      ChunkPool pool,
      int maxSockets,
      boolean rawDescriptors) {
    this.name = name;
    this.demultiplexer = demultiplexer;
    this.device = device;
    this.pool = pool;
    this.rawDescriptors = rawDescriptors;
    this.operations = new ReadinessOperations(demultiplexer, device, pool, results, maxSockets);
    this.transport = new ReadinessTransport(this, stage, operations, device, pool);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public KernelTransport sockets() {
    return transport;
  }

  @Override
  public int turn(long timeoutNanos, CompletionSink sink) {
    own();
    if (turning) {
      throw new IllegalStateException("turn was called from a completion of the same engine");
    }
    turning = true;
    try {
      move(timeoutNanos);
      return deliver(sink);
    } finally {
      turning = false;
    }
  }

  private void own() {
    if (owner == null) {
      owner = Thread.currentThread();
      pool.own(Thread.currentThread());
    }
    check();
  }

  /// Runs the first half of a turn, for a loop that turns another engine between the two halves.
  void move() {
    own();
    move(0);
  }

  private void move(long timeoutNanos) {
    pool.reclaim();
    operations.handOver(stage);
    collect(timeoutNanos);
  }

  /// Waits and performs the operations that are ready, until there is a completion or another
  /// reason to stop.
  private void collect(long timeoutNanos) {
    long start = timeoutNanos > 0 ? System.nanoTime() : 0;
    long wait = timeoutNanos;
    while (true) {
      operations.register();
      int ready = demultiplexer.await(results.isEmpty() ? wait : 0);
      for (int i = 0; i < ready; i++) {
        operations.ready(demultiplexer.socket(i), demultiplexer.events(i));
      }
      if (demultiplexer.woken() || ready < 0 || !results.isEmpty() || timeoutNanos == 0) {
        return;
      }
      if (timeoutNanos > 0) {
        wait = timeoutNanos - (System.nanoTime() - start);
        if (wait <= 0) {
          return;
        }
      }
    }
  }

  /// Runs the second half of a turn, which delivers the completions.
  ///
  /// @return the number of completions
  int deliver(CompletionSink sink) {
    int count = 0;
    while (!results.isEmpty()) {
      count++;
      results.deliverOne(sink);
    }
    return count;
  }

  @Override
  public void wake() {
    synchronized (wakeLock) { // a closed descriptor may be another file by now
      if (!closed) {
        demultiplexer.wake();
      }
    }
  }

  @Override
  public int pollOnce(int fd, int events, long token) {
    check();
    if (!rawDescriptors) {
      return -EOPNOTSUPP;
    }
    stage.add(ReadinessStage.POLL, fd, token, events);
    return 0;
  }

  @Override
  public void cancel(long token) {
    check();
    stage.add(ReadinessStage.CANCEL, 0, token);
  }

  @Override
  public long systemCalls() {
    return demultiplexer.calls() + device.calls();
  }

  /// Returns true if an operation is staged or a completion has not been delivered.
  boolean hasWork() {
    return stage.count() > 0 || !results.isEmpty();
  }

  /// Throws an exception if the engine is closed or belongs to another thread.
  void check() {
    if (closed) {
      throw new IllegalStateException("the " + name + " engine is closed");
    }
    checkOwner();
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself only
  private void checkOwner() {
    Thread thread = owner;
    if (thread != null && thread != Thread.currentThread()) {
      throw new WrongThreadException("the " + name + " engine belongs to " + thread);
    }
  }

  /// Drops staged and armed operations without completing them, and closes all sockets. Chunks that
  /// are still leased remain valid. Any thread may close the engine once the owner has terminated.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (owner == null || owner.isAlive()) {
      checkOwner();
    }
    synchronized (wakeLock) {
      closed = true;
    }
    stage.clear();
    results.discard(pool);
    operations.closeAll();
    demultiplexer.close();
    device.close();
    pool.close();
  }
}
