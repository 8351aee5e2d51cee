package sluice.loop;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.Block;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// One event loop: an engine, its connections, their timers and an inbox. Owned by one platform
/// thread, the one that calls [#run] or [#turn]; other threads reach it only through [#execute].
///
/// One turn: stage one send per dirty connection → one kernel crossing submits them, waits and
/// drains all completions → framing, handlers, slow-path hand-offs → settle the sends that were
/// submitted → inbox → timers.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | asleep | loop; a waker clears it | volatile | volatile |
/// | stopping | any thread | volatile | volatile |
/// | cutOff | loop | volatile | volatile |
/// | everything else | loop | plain | plain |
public final class Loop implements AutoCloseable {
  private static final Logger LOG = System.getLogger("sluice.loop");

  private static final int CLOSE_TURNS = 2_000;
  private static final long ACCEPT_RETRY_NANOS = 100_000_000L;
  private static final long STARVED_RETRY_NANOS = 5_000_000L;

  /// When nothing was accepted for this long, the accept queues of a draining loop are empty, and
  /// no handshake that began before is under way.
  private static final long ACCEPT_QUIET_NANOS = 50_000_000L;

  /// Longest that a draining loop goes on accepting.
  private static final long ACCEPT_DRAIN_NANOS = 1_000_000_000L;

  private final String name;
  private final Engine engine;
  private final Transport transport;
  private final LoopConfig config;
  private final NanoClock clock;
  private final Executor slowPath;
  private final LoopCounters counters = new LoopCounters();
  private final Account partialAccount;
  private final Account outputAccount;
  private final Account stagingAccount;
  private final Account copyAccount;
  private final TimerWheel timers;
  private final Inbox inbox = new Inbox();
  private final Connections connections;
  private final FlushQueue flushes;
  private final Eviction eviction;
  private final List<Listener> listeners = new ArrayList<>();
  private final ArrayDeque<Connection> resumes = new ArrayDeque<>();
  private final ArrayDeque<Connection> starved = new ArrayDeque<>();
  private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();
  private final List<Runnable> batchHooks = new ArrayList<>();
  private final List<Runnable> closeHooks = new ArrayList<>();
  private final CompletionSink sink = this::complete;
  private final Consumer<Runnable> tasks = this::runTask;

  private volatile @Nullable Thread owner;
  private @Nullable HandledInput input;
  private Staging staging;
  private Staging submitted;
  private long now;
  private boolean batchOpen;
  private boolean draining;
  private boolean closed;

  private final RunningHandler handler = new RunningHandler();
  private volatile boolean asleep;
  private volatile boolean stopping;
  private volatile boolean cutOff;

  private record Delayed(long atNanos, Runnable task) implements Comparable<Delayed> {
    @Override
    public int compareTo(Delayed other) {
      return Long.signum(atNanos - other.atNanos);
    }
  }

  /// @param slowPath runs what may block: reads of cold file pages, deferred messages
  public Loop(String name, Engine engine, LoopConfig config, NanoClock clock, Executor slowPath) {
    this.name = name;
    this.engine = engine;
    this.transport = engine.sockets();
    this.config = config;
    this.clock = clock;
    this.slowPath = slowPath;
    this.now = clock.nanos();
    this.timers = new TimerWheel(now);
    this.partialAccount = new Account(name + " partial messages", config.partialBytesPerLoop());
    this.outputAccount = new Account(name + " blocked output", config.partialBytesPerLoop());
    this.copyAccount = new Account(name + " copies", config.leases().copiedBytesPerLoop());
    this.stagingAccount = new Account(name + " staging", 16L * config.stagingBytes());
    this.staging = new Staging(stagingAccount, config.stagingBytes());
    this.submitted = new Staging(stagingAccount, config.stagingBytes());
    this.connections = new Connections(config.maxConnections());
    this.flushes = new FlushQueue(this);
    this.eviction = new Eviction(connections, counters, outputAccount);
  }

  // ---- for everyone -------------------------------------------------------------------------

  public String name() {
    return name;
  }

  /// Runs a task on the loop's thread, after what was given before. Any thread. Wakes the loop only
  /// if it sleeps.
  public void execute(Runnable task) {
    inbox.add(task);
    if (asleep) {
      asleep = false;
      engine.wake();
    }
  }

  /// Asks the loop to end after the current turn. Any thread.
  public void stop() {
    stopping = true;
    execute(() -> {});
  }

  public LoopCounters counters() {
    return counters;
  }

  // ---- for the owner thread -----------------------------------------------------------------

  /// Turns until [#stop].
  public void run() {
    while (!stopping) {
      turn(-1);
    }
  }

  public boolean stopping() {
    return stopping;
  }

  /// One turn.
  ///
  /// @param maxWaitNanos 0 does not wait; negative waits until there is something to do
  /// @return completions handled
  public int turn(long maxWaitNanos) {
    begin();
    flushes.flushAll();
    swapStaging();
    runResumes();
    long wait = waitNanos(maxWaitNanos);
    batchOpen = false;
    if (wait != 0) {
      asleep = true;
      if (!inbox.isEmpty()) {
        asleep = false;
        wait = 0;
      }
    }
    int handled = engine.turn(wait, sink);
    if (asleep) {
      asleep = false;
    }
    now = clock.nanos();
    counters.turns++;
    counters.completions += handled;
    flushes.settleAll();
    submitted.reset();
    eviction.relieve();
    inbox.runAll(tasks);
    runDelayed();
    timers.advance(now);
    feedStarved();
    return handled;
  }

  /// Opens a listening socket. `protocol` answers its connections; it is not shared with another
  /// loop.
  public Listener listen(SocketAddress address, ListenOptions options, Protocol protocol)
      throws IOException {
    return addListener(transport.listen(address, options), protocol, false, options.tls());
  }

  /// Takes over a descriptor that listens already; `tls` as in [ListenOptions].
  public Listener adopt(int fd, Protocol protocol, @Nullable TlsContext tls) throws IOException {
    return addListener(transport.adoptListener(fd), protocol, true, tls);
  }

  /// Fails when somebody listens on the address already: shared listeners would not notice.
  void checkFree(SocketAddress address, ListenOptions options) throws IOException {
    if (!(address instanceof InetSocketAddress inet) || inet.getPort() == 0) {
      return;
    }
    transport.close(transport.listen(address, options.withReusePort(false)));
    turn(0);
  }

  /// Runs `hook` once before the first input of a turn is handled, when all input of that turn has
  /// arrived: what the hook sees is at least as new as every request it comes before.
  public void beforeBatch(Runnable hook) {
    batchHooks.add(hook);
  }

  /// Runs `hook` when the loop has closed, after its last connection is gone, on the thread that
  /// closes it. Tasks given to [#execute] before the hook returns run after it.
  public void onClose(Runnable hook) {
    closeHooks.add(hook);
  }

  /// Runs a task after a delay, give or take a turn.
  public void schedule(long delayNanos, Runnable task) {
    delayed.add(new Delayed(clock.nanos() + delayNanos, task));
  }

  /// Accepts what waits to be accepted and then no more, tells every protocol to finish, and ends
  /// the loop when the last connection is gone or the time is over.
  public void drain(long timeoutNanos) {
    if (draining) {
      return;
    }
    draining = true;
    for (Listener listener : listeners) {
      if (!listener.adopted) {
        transport.refuseNew(listener.handle);
      }
    }
    connections.forEach(c -> guarded(c, () -> c.listener.protocol.draining(c)));
    schedule(
        timeoutNanos,
        () -> {
          cutOff = !stopping;
          stop();
        });
    drainAccepts(clock.nanos() + ACCEPT_DRAIN_NANOS);
  }

  /// Goes on accepting until nothing has come for a while.
  private void drainAccepts(long untilNanos) {
    long before = counters.accepted;
    schedule(
        ACCEPT_QUIET_NANOS,
        () -> {
          if (counters.accepted > before && now - untilNanos < 0) {
            drainAccepts(untilNanos);
            return;
          }
          listeners.forEach(this::stopAccepting);
          stopWhenEmpty();
        });
  }

  /// Whether draining took too long and ended connections that were not finished. Any thread.
  boolean cutOff() {
    return cutOff;
  }

  public boolean draining() {
    return draining;
  }

  /// Open connections.
  public int connectionCount() {
    return connections.count();
  }

  /// The time at the start of this turn's work.
  public long now() {
    return now;
  }

  public Executor slowPath() {
    return slowPath;
  }

  public String engineName() {
    return engine.name();
  }

  /// Ends every connection and the engine. The owner, or anyone once the owner has ended.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    connections.forEach(Connection::abort);
    for (int i = 0; i < CLOSE_TURNS && connections.count() > 0; i++) {
      turn(1_000_000L);
    }
    engine.close();
    staging.close();
    submitted.close();
    closeHooks.forEach(this::runTask);
    inbox.runAll(tasks);
  }

  // ---- turning ------------------------------------------------------------------------------

  private void begin() {
    if (input == null) {
      owner = Thread.currentThread();
      input = new HandledInput(new ViewBinder(Thread.currentThread()), this, copyAccount);
    }
  }

  private void swapStaging() {
    Staging filled = staging;
    staging = submitted;
    submitted = filled;
  }

  private long waitNanos(long maxWaitNanos) {
    if (maxWaitNanos == 0 || !resumes.isEmpty() || flushes.hasMore() || stopping) {
      return 0;
    }
    long wait = earlier(maxWaitNanos, timers.untilNextTick(now));
    if (!delayed.isEmpty()) {
      wait = earlier(wait, Math.max(1, delayed.peek().atNanos - now));
    }
    if (!starved.isEmpty()) {
      wait = earlier(wait, STARVED_RETRY_NANOS);
    }
    return wait;
  }

  private static long earlier(long a, long b) {
    if (a < 0) {
      return b;
    }
    return b < 0 ? a : Math.min(a, b);
  }

  void openBatch() {
    if (!batchOpen) {
      batchOpen = true;
      if (asleep) {
        asleep = false; // the wait is over: who adds to the inbox need not wake us
      }
      for (int i = 0; i < batchHooks.size(); i++) {
        batchHooks.get(i).run();
      }
    }
  }

  private void runResumes() {
    int count = resumes.size();
    if (count == 0) {
      return;
    }
    openBatch();
    for (int i = 0; i < count; i++) {
      Connection connection = resumes.poll();
      if (connection != null) {
        connection.resume();
      }
    }
  }

  private void runDelayed() {
    while (!delayed.isEmpty() && delayed.peek().atNanos - now <= 0) {
      runTask(delayed.poll().task);
    }
  }

  private void runTask(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      counters.taskFailures++;
      LOG.log(Level.ERROR, () -> name + ": a task failed", e);
    }
  }

  private void feedStarved() {
    transport.arena().reclaim();
    int free = transport.arena().free();
    while (!starved.isEmpty() && free-- > 0) {
      Connection connection = starved.poll();
      connection.starved = false;
      connection.arm();
    }
  }

  private void complete(long token, int result, int flags) {
    switch (Token.op(token)) {
      case Token.RECEIVE -> received(token, result, flags);
      case Token.ACCEPT -> accepted(token, result, flags);
      case Token.SEND -> flushes.sendFellShort(connections.get(token), result);
      case Token.SEND_ALL -> flushes.sentAll(connections.get(token), result);
      case Token.WRITABLE -> flushes.writable(connections.get(token), result);
      default -> throw new AssertionError("token " + Long.toHexString(token));
    }
  }

  private void received(long token, int result, int flags) {
    Connection connection = connections.get(token);
    Block chunk =
        Completion.hasChunk(flags) ? transport.arena().block(Completion.chunk(flags)) : null;
    if (connection == null) {
      if (chunk != null) {
        chunk.release();
      }
      return;
    }
    if (!Completion.hasMore(flags)) {
      connection.receiveEnded();
    }
    if (result > 0 && chunk != null) {
      openBatch();
      counters.receives++;
      counters.receivedBytes += result;
      connection.received(chunk, 0, result);
    }
    if (chunk != null) {
      chunk.release();
    }
    if (result <= 0) {
      receiveFailed(connection, result);
    }
    if (connection.finished()) {
      connection.finish();
    } else {
      connection.arm();
    }
  }

  private void receiveFailed(Connection connection, int result) {
    if (result == 0) {
      connection.peerEnded();
    } else if (result == -Errors.ENOBUFS) {
      counters.starvedReceives++;
      if (!connection.starved) {
        connection.starved = true;
        starved.add(connection);
      }
    } else if (result != -Errors.ECANCELED) {
      connection.abort();
    }
  }

  // ---- accepting ----------------------------------------------------------------------------

  private Listener addListener(
      int handle, Protocol protocol, boolean adopted, @Nullable TlsContext tls) {
    Listener listener = new Listener(this, listeners.size(), handle, protocol, adopted, tls);
    listeners.add(listener);
    armAccept(listener);
    return listener;
  }

  private void armAccept(Listener listener) {
    if (!listener.armed && !listener.stopped) {
      listener.armed = true;
      transport.accept(listener.handle, Token.of(Token.ACCEPT, 0, listener.index));
    }
  }

  private void stopAccepting(Listener listener) {
    if (!listener.stopped) {
      listener.stopped = true;
      if (listener.armed) {
        engine.cancel(Token.of(Token.ACCEPT, 0, listener.index));
      } else {
        transport.close(listener.handle);
      }
    }
  }

  private void accepted(long token, int result, int flags) {
    Listener listener = listeners.get(Token.index(token));
    if (result >= 0) {
      counters.accepted++;
      open(listener, result);
    }
    if (Completion.hasMore(flags)) {
      return;
    }
    listener.armed = false;
    if (listener.stopped) {
      transport.close(listener.handle);
      stopWhenEmpty();
    } else if (result >= 0 || result == -Errors.ECONNABORTED) {
      armAccept(listener);
    } else {
      counters.acceptErrors++;
      schedule(ACCEPT_RETRY_NANOS, () -> armAccept(listener));
    }
  }

  private void open(Listener listener, int socket) {
    Connection connection = connections.add(this, listener, socket);
    if (connection == null) {
      counters.refusedConnections++;
      transport.close(socket);
      return;
    }
    if (connection.overLimit) {
      counters.refusedConnections++;
      guarded(connection, () -> listener.protocol.overloaded(connection));
    } else {
      guarded(connection, () -> listener.protocol.opened(connection));
      if (draining) {
        guarded(connection, () -> listener.protocol.draining(connection));
      }
    }
    connection.arm();
  }

  // ---- for connections ----------------------------------------------------------------------

  int deliver(Connection connection, Block block, long base, int count) {
    HandledInput shown = input();
    View view = shown.begin(connection, block, base, count);
    int used = count;
    try {
      used = connection.listener.protocol.received(connection, view);
      if (used < 0 || used > count) {
        throw new IllegalStateException("protocol consumed " + used + " of " + count + " bytes");
      }
    } catch (RuntimeException | Error e) {
      failed(connection, e);
      used = count;
    } finally {
      shown.end();
    }
    return used;
  }

  HandledInput input() {
    HandledInput shown = input;
    if (shown == null) {
      throw new IllegalStateException("the loop has not turned yet");
    }
    return shown;
  }

  void protocolEnded(Connection connection, int leftover) {
    guarded(connection, () -> connection.tellEnd(leftover));
  }

  void protocolTimedOut(Connection connection) {
    guarded(connection, () -> connection.listener.protocol.timedOut(connection));
  }

  void stagePiece(ReplyTicket.Piece piece, Connection connection) {
    guarded(connection, () -> piece.stage(connection));
  }

  private void guarded(Connection connection, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      failed(connection, e);
    }
  }

  private void failed(Connection connection, Throwable e) {
    counters.handlerFailures++;
    LOG.log(Level.ERROR, () -> name + ": a handler failed; its connection is closed", e);
    connection.abort();
  }

  void remove(Connection connection) {
    transport.close(connection.socket);
    connections.remove(connection);
    counters.closed++;
    connection.released();
    try {
      connection.listener.protocol.closed(connection);
    } catch (RuntimeException | Error e) {
      counters.handlerFailures++;
      LOG.log(Level.ERROR, () -> name + ": a protocol's closed() failed", e);
    }
    stopWhenEmpty();
  }

  private void stopWhenEmpty() {
    if (draining
        && connections.count() == 0
        && listeners.stream().allMatch(l -> l.stopped && !l.armed)) {
      stop();
    }
  }

  void queueDirty(Connection connection) {
    flushes.add(connection);
  }

  void queueResume(Connection connection) {
    if (!connection.resumeQueued) {
      connection.resumeQueued = true;
      resumes.add(connection);
    }
  }

  void settleSoon() {
    flushes.settleSoon();
  }

  @Nullable Block allocatePartial(Connection asking, int bytes) {
    int size = Math.max(512, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
    Block block = Block.allocate(partialAccount, size);
    while (block == null && eviction.freeInput(asking, size)) {
      block = Block.allocate(partialAccount, size);
    }
    return block;
  }

  void partialReleased(Block block) {
    block.release();
  }

  // ---- for the watchdog ---------------------------------------------------------------------

  RunningHandler handler() {
    return handler;
  }

  @Nullable Thread ownerThread() {
    return owner;
  }

  boolean asleep() {
    return asleep;
  }

  /// Shows what the loop counts in a counters file.
  void publishTo(CounterPublisher into) {
    counters.publishTo(into, name);
    into.gauge(name + "/connections", connections::count);
    into.counter(name + "/system_calls", engine::systemCalls);
  }

  Account outputAccount() {
    return outputAccount;
  }

  /// Everything that must be zero when no connection is left.
  public long heldBytes() {
    return partialAccount.usedBytes() + outputAccount.usedBytes();
  }

  /// Bytes of copies that [Connection#retain] has made and somebody still uses. Any thread.
  public long retainedBytes() {
    return copyAccount.usedBytes();
  }

  /// Whether input that blocked output holds must make room for what is received.
  boolean inputScarce() {
    return HandledInput.scarce(transport.arena())
        || partialAccount.usedBytes() > config.partialBytesPerLoop() / 4 * 3;
  }

  OutSegment takeSegment() {
    return flushes.takeSegment();
  }

  void giveSegment(OutSegment segment) {
    flushes.giveSegment(segment);
  }

  Staging staging() {
    return staging;
  }

  Engine engine() {
    return engine;
  }

  Transport transport() {
    return transport;
  }

  TimerWheel timers() {
    return timers;
  }

  LoopConfig config() {
    return config;
  }
}
