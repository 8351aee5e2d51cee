package sluice.loop;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.engine.Token;
import sluice.loop.engine.Transport;
import sluice.loop.engine.TurnClock;
import sluice.loop.engine.UserTransport;
import sluice.loop.input.PartialMemory;
import sluice.loop.output.OutputMemory;
import sluice.loop.sockets.ClassFiles;
import sluice.loop.sockets.DescriptorLender;
import sluice.loop.sockets.Log;
import sluice.loop.tls.TlsContext;
import sluice.loop.turn.AcceptPause;
import sluice.loop.turn.BatchQueue;
import sluice.loop.turn.LoopTasks;
import sluice.loop.turn.Turn;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// An event loop with an engine, its connections, their timers and an inbox of tasks. It is owned
/// by one platform thread, which calls [#run] or [#turn]. Other threads access it only through
/// [#execute].
///
/// One turn: stage one send per dirty connection → one kernel crossing submits them, waits and
/// drains all completions → framing, handlers, slow-path hand-offs → settle the sends that were
/// submitted → inbox → timers.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | owner | loop | volatile | volatile |
/// | everything else | loop | plain | plain |
public final class Loop implements AutoCloseable {
  private static final int CLOSE_TURNS = 2_000;

  private final String name;
  private final Engine engine;
  private final KernelTransport kernel;
  private final List<UserTransport> userTransports = new ArrayList<>();
  private final LoopParts parts;
  private final NanoClock clock;
  private final LoopCounters counters;
  private final LoopTasks tasks;
  private final Turn turn;
  private final Account partialAccount;
  private final Account copyAccount;
  private final OutputMemory outputMemory;
  private final OutputRoom outputRoom;
  private final Connections connections = new Connections();
  private final BatchQueue<Connection> resumes = new BatchQueue<>();
  private final BatchQueue<Runnable> beforeWait = new BatchQueue<>();
  private final FlushQueue flushes;
  private final Admission admission;
  private final Acceptor acceptor;
  private final Receiver receiver;
  private final Drain drain;
  private final DescriptorWatch.Table watches;
  private final Set<Runnable> closeHooks = new LinkedHashSet<>();
  private final RunningHandler handler = new RunningHandler();
  private final CompletionSink sink = this::complete;
  private final Consumer<Runnable> runner;

  /// The executor for slow handlers, which is the slow path unless another executor was set.
  private Executor handlerPath;

  /// The transport whose completions are being delivered.
  private Transport delivering;

  private volatile @Nullable Thread owner;
  private boolean closed;

  /// @param slowPath runs tasks that may block, such as reads of uncached file pages and deferred
  ///   messages
  public Loop(String name, Engine engine, LoopConfig config, NanoClock clock, Executor slowPath) {
    ClassFiles.ready(Loop.class, Account.class, Errno.class);
    this.name = name;
    this.engine = engine;
    this.watches = new DescriptorWatch.Table(engine);
    this.kernel = engine.sockets();
    this.delivering = kernel;
    this.clock = clock;
    this.handlerPath = slowPath;
    LoopCounters counted = new LoopCounters();
    this.counters = counted;
    this.tasks = new LoopTasks(name, engine::wake, clock, () -> counted.taskFailures++);
    this.runner = tasks::run;
    this.turn = new Turn(clock, tasks);
    this.partialAccount = new Account(name + " partial messages", config.partialBytesPerLoop());
    this.copyAccount = new Account(name + " copies", config.leases().copiedBytesPerLoop());
    this.outputMemory = new OutputMemory(name, config.stagingBytes(), config.outputBytesPerLoop());
    this.outputRoom = new OutputRoom(outputMemory, counters);
    this.parts =
        new LoopParts(
            config,
            counters,
            turn,
            tasks,
            slowPath,
            new TimerWheel(turn.now()),
            new PartialMemory(partialAccount, new Eviction(connections)),
            outputMemory,
            outputRoom,
            new HandledInput(counters, copyAccount));
    ProtocolCalls calls = new ProtocolCalls(name, counters, parts.input());
    BatchQueue<Connection> dirty = new BatchQueue<>();
    ConnectionList idle = new ConnectionList();
    ConnectionParts ofEach =
        new ConnectionParts(parts, calls, dirty, resumes, idle, this::connectionGone);
    this.flushes = new FlushQueue(parts, dirty);
    this.admission =
        new Admission(connections, idle, counters, turn, calls, config.maxConnections());
    Consumer<String> log = line -> slowPath.execute(() -> Log.LOGGER.log(Level.WARNING, line));
    AcceptPause pause = new AcceptPause(name, tasks, log);
    this.acceptor =
        new Acceptor(ofEach, kernel, connections, admission, pause, this::stopWhenDrained);
    this.receiver = new Receiver(turn, counters, connections);
    this.drain = new Drain(name, parts, calls, acceptor, connections);
  }

  // ---- for any thread -----------------------------------------------------------------------

  public String name() {
    return name;
  }

  /// Executes a task on the loop's thread, after all tasks submitted before. The loop is woken only
  /// if it is asleep. Any thread may call.
  public void execute(Runnable task) {
    tasks.execute(task);
  }

  /// Requests the loop to terminate after the current turn. Any thread may call.
  public void stop() {
    tasks.stop();
  }

  public LoopCounters counters() {
    return counters;
  }

  // ---- for the owner thread -----------------------------------------------------------------

  /// Runs turns until [#stop] is called.
  public void run() {
    while (!tasks.stopping()) {
      turn(-1);
      boolean _ = Thread.interrupted(); // a pending interrupt would end the next wait
    }
  }

  public boolean stopping() {
    return tasks.stopping();
  }

  /// Runs one turn.
  ///
  /// @param maxWaitNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   until there is work to do
  /// @return the number of completions handled
  public int turn(long maxWaitNanos) {
    begin();
    flushes.flushAll();
    outputMemory.swap();
    outputRoom.measure();
    if (resumes.size() > 0) {
      turn.openBatch();
      resumes.pass(Loop::resume);
    }
    for (int i = 0; i < userTransports.size(); i++) {
      userTransports.get(i).collect();
    }
    beforeWait.pass(runner);
    long wait = waitNanos(maxWaitNanos);
    if (wait != 0 && (!tasks.sleep() || userTransportReady())) {
      tasks.awake();
      wait = 0;
    }
    turn.beginWait();
    int handled = engine.turn(wait, sink);
    for (int i = 0; i < userTransports.size(); i++) {
      handled += deliver(userTransports.get(i));
    }
    tasks.awake();
    turn.lookAtClock();
    counters.turns++;
    counters.completions += handled;
    flushes.settleAll();
    outputMemory.settled();
    admission.turnEnded();
    acceptor.turnEnded();
    tasks.runAdded();
    tasks.runDue(turn.now());
    parts.timers().advance(turn.now());
    receiver.feedStarved(kernel.arena());
    for (int i = 0; i < userTransports.size(); i++) {
      receiver.feedStarved(userTransports.get(i).sockets().arena());
    }
    outputRoom.wake();
    return handled;
  }

  private static void resume(Connection connection) {
    connection.input.resume();
  }

  private int deliver(UserTransport from) {
    delivering = from.sockets();
    try {
      return from.deliver(sink);
    } finally {
      delivering = kernel;
    }
  }

  private boolean userTransportReady() {
    for (int i = 0; i < userTransports.size(); i++) {
      if (userTransports.get(i).ready()) {
        return true;
      }
    }
    return false;
  }

  /// Attaches a transport that is turned in addition to the engine's transport and closed together
  /// with the loop. Must be called before the loop's first turn or on the loop's thread.
  public void attach(UserTransport transport) {
    transport.wakeBy(tasks::wake);
    userTransports.add(transport);
  }

  /// Opens a listening socket without TLS, see [#listen(SocketAddress, ListenOptions, Protocol,
  /// TlsContext)].
  public Listener listen(SocketAddress address, ListenOptions options, Protocol protocol)
      throws IOException {
    return listen(address, options, protocol, null);
  }

  /// Opens a listening socket.
  ///
  /// @param protocol the protocol of its connections, which must not be shared with another loop
  /// @param tls the TLS context of its connections, or null for connections without TLS
  public Listener listen(
      SocketAddress address, ListenOptions options, Protocol protocol, @Nullable TlsContext tls)
      throws IOException {
    return listen(kernel, address, options, protocol, tls);
  }

  /// Opens a listening socket of the engine's transport or of an attached one.
  public Listener listen(
      Transport on,
      SocketAddress address,
      ListenOptions options,
      Protocol protocol,
      @Nullable TlsContext tls)
      throws IOException {
    return acceptor.add(new Listener.Handle(on, on.listen(address, options), false), protocol, tls);
  }

  /// Adopts a descriptor that is already listening; `protocol` and `tls` are as in [#listen].
  public Listener adopt(int fd, Protocol protocol, @Nullable TlsContext tls) throws IOException {
    return acceptor.add(new Listener.Handle(kernel, kernel.adoptListener(fd), true), protocol, tls);
  }

  /// Adopts a connected descriptor, which is owned by the loop from then on. Must be called on the
  /// loop's thread.
  ///
  /// @throws IOException if no further connection can be opened, or if the engine has no free
  ///   descriptors; the descriptor is then still owned by the caller
  public Connection adoptConnected(int fd, Protocol protocol) throws IOException {
    if (!admission.hasPlace(0)) {
      throw SysException.of(Errno.EMFILE, "connect", "one connection above the loop's limit");
    }
    int socket = kernel.adoptConnected(fd);
    Listener.Handle none = new Listener.Handle(kernel, -1, true);
    return acceptor.adopt(new Listener(-1, none, protocol, null), socket);
  }

  /// Stops accepting on a listening socket until [#resumeAccepting] is called. Clients wait in the
  /// socket's queue in the meantime. A few clients that the kernel has already accepted may still
  /// arrive. Must be called on the loop's thread.
  public void pauseAccepting(Listener listener) {
    acceptor.hold(listener);
  }

  /// Resumes accepting. Must be called on the loop's thread.
  public void resumeAccepting(Listener listener) {
    acceptor.goOn(listener);
  }

  /// Sets the loops of this process that are asked to close idle connections when this loop runs
  /// out of descriptors and has no idle connections itself. Must be called on the loop's thread.
  public void borrowDescriptorsFrom(List<Loop> others) {
    acceptor.borrowFrom(others.stream().map(Loop::lender).toList());
  }

  private DescriptorLender lender() {
    return new DescriptorLender() {
      @Override
      public int connectionCount() {
        return connections.count();
      }

      @Override
      public int idleCount() {
        return admission.idleCount();
      }

      @Override
      public void release(int count, Runnable done) {
        tasks.execute(() -> {
          int _ = admission.evictIdle(count);
          tasks.execute(() -> tasks.execute(done)); // the closes have been performed by then
        });
      }
    };
  }

  /// Stops accepting on a listening socket and closes it. Its connections remain open. Clients in
  /// the queue of an adopted socket are left to its other owner. Must be called on the loop's
  /// thread.
  ///
  /// @param closed invoked once the socket is closed
  public void unlisten(Listener listener, Runnable closed) {
    listener.whenClosed = closed;
    acceptor.stop(listener);
  }

  /// Throws an exception if another socket is already listening on the address, which shared
  /// listeners would not detect.
  public void checkFree(SocketAddress address, ListenOptions options) throws IOException {
    if (!(address instanceof InetSocketAddress inet) || inet.getPort() == 0) {
      return;
    }
    kernel.close(kernel.listen(address, options.withReusePort(false)));
    turn(0);
  }

  /// Creates a watch on a descriptor that does not belong to a connection.
  ///
  /// @param ready invoked when an awaited event has occurred
  public DescriptorWatch watch(int fd, Runnable ready) {
    return watches.add(fd, () -> tasks.run(ready));
  }

  /// Registers a hook that runs once in each turn with input, after all input of the turn has
  /// arrived and before any of it is handled. The state that the hook observes is therefore at
  /// least as recent as every request handled after it.
  public void beforeBatch(Runnable hook) {
    turn.beforeBatch(hook);
  }

  /// Runs a task once when all other work of this turn has completed and the loop is about to wait,
  /// so that the output of many tasks is sent together. Must be called on the loop's thread.
  public void beforeWait(Runnable task) {
    beforeWait.add(task);
  }

  /// Registers a hook that is invoked when the loop has closed, after its last connection has been
  /// removed, on the thread that closes the loop. Tasks submitted to [#execute] before the hook
  /// returns run after it. Must be called on the loop's thread.
  public void onClose(Runnable hook) {
    closeHooks.add(hook);
  }

  /// Unregisters a hook of [#onClose] whose resource has already been closed. This method has no
  /// effect while the loop is closing. Must be called on the loop's thread.
  ///
  /// @param hook the same object that was registered
  public void forgetOnClose(Runnable hook) {
    if (!closed) {
      closeHooks.remove(hook);
    }
  }

  /// Returns the number of registered hooks. Must be called on the loop's thread.
  int closeHooks() {
    return closeHooks.size();
  }

  /// Returns the maximum number of watches that were open at the same time. Must be called on the
  /// loop's thread.
  int watchSlots() {
    return watches.slots();
  }

  /// Schedules a task to run after the given delay. The accuracy is one turn.
  public void schedule(long delayNanos, Runnable task) {
    tasks.schedule(delayNanos, task);
  }

  /// Drains the loop. Accepts the waiting clients, stops accepting, notifies every protocol to
  /// finish, and stops the loop when the last connection has closed or the timeout has expired.
  public void drain(long timeoutNanos) {
    drain.begin(timeoutNanos, clock.nanos());
  }

  /// Returns true if the drain timed out and unfinished connections were closed. Any thread may
  /// call.
  public boolean cutOff() {
    return drain.cutOff();
  }

  public boolean draining() {
    return turn.draining();
  }

  /// Returns the number of open connections.
  public int connectionCount() {
    return connections.count();
  }

  /// Returns the time at which this turn's wait ended and its work began.
  public long now() {
    return turn.now();
  }

  /// Returns the clock behind [#now], for components that read it often.
  public TurnClock clock() {
    return turn;
  }

  public Executor slowPath() {
    return parts.slowPath();
  }

  /// Returns the executor for handlers that may block. Called on the loop's thread.
  public Executor handlerPath() {
    return handlerPath;
  }

  /// Sets the executor of slow handlers, replacing the slow path. Must be called before the loop's
  /// protocols are created.
  public void runHandlersOn(Executor path) {
    handlerPath = path;
  }

  public String engineName() {
    return engine.name();
  }

  /// Closes all connections and the engine. May be called by the owner, or by any thread once the
  /// owner has terminated.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (owner == null || owner == Thread.currentThread()) {
      connections.forEach(Connection::abort);
      for (int i = 0; i < CLOSE_TURNS && connections.count() > 0; i++) {
        turn(1_000_000L);
      }
    } else {
      connections.forEach(this::abandon); // a ring accepts nothing from another thread
    }
    int left = connections.count();
    if (left > 0) {
      Log.LOGGER.log(
          Level.WARNING,
          () -> name + ": " + left + " connections do not end; what they send stays");
    }
    engine.close();
    watches.engineEnded();
    userTransports.forEach(UserTransport::close);
    outputMemory.close();
    closeHooks.forEach(tasks::run);
    tasks.runAdded();
  }

  // ---- turning ------------------------------------------------------------------------------

  private void begin() {
    if (owner == null) {
      owner = Thread.currentThread();
      parts.input().ownedBy(Thread.currentThread());
    }
  }

  private long waitNanos(long maxWaitNanos) {
    boolean ends = tasks.stopping() && !closed; // once closed, it waits for the connections to end
    if (maxWaitNanos == 0 || resumes.size() > 0 || flushes.hasMore() || ends) {
      return 0;
    }
    if (outputRoom.wakesSoon(flushes.unsettled())) {
      return 0;
    }
    long wait = earlier(maxWaitNanos, parts.timers().untilNextTick(turn.now()));
    wait = earlier(wait, tasks.untilNext(turn.now()));
    for (int i = 0; i < userTransports.size(); i++) {
      wait = earlier(wait, userTransports.get(i).waitNanos());
    }
    return earlier(wait, receiver.retryNanos());
  }

  private static long earlier(long a, long b) {
    if (a < 0) {
      return b;
    }
    return b < 0 ? a : Math.min(a, b);
  }

  private void complete(long token, int result, long flags) {
    turn.lookAtClock();
    switch (Token.op(token)) {
      case Token.RECEIVE -> receiver.received(delivering.arena(), token, result, flags);
      case Token.ACCEPT -> acceptor.accepted(token, result, flags);
      case Token.SEND -> flushes.sendFellShort(connections.get(token), result);
      case Token.SEND_ALL -> flushes.sentAll(connections.get(token), result);
      case Token.WRITABLE -> flushes.writable(connections.get(token), result);
      case Token.POLL -> {
        turn.openBatch();
        watches.completed(token);
      }
      default -> throw new AssertionError("token " + Long.toHexString(token));
    }
  }

  /// Drops a connection without notifying the engine, which is about to close all sockets.
  private void abandon(Connection connection) {
    if (connection.abandon()) {
      connections.remove(connection);
      connection.released();
      connection.parts.calls().closed(connection);
    }
  }

  private void connectionGone(Connection connection) {
    connection.transport.close(connection.socket);
    connections.remove(connection);
    admission.removed(connection);
    acceptor.descriptorFreed();
    counters.closed++;
    outputRoom.forget(connection);
    connection.released();
    connection.parts.calls().closed(connection);
    stopWhenDrained();
  }

  private void stopWhenDrained() {
    drain.stopWhenEmpty();
  }

  /// Returns the input that is being handled, for interruptlets.
  HandledInput handledInput() {
    return parts.input();
  }

  // ---- for the watchdog ---------------------------------------------------------------------

  /// Returns the record of the handler that is currently running on the loop.
  public RunningHandler handler() {
    return handler;
  }

  /// Returns the thread that runs the loop, or null before its first turn.
  public @Nullable Thread ownerThread() {
    return owner;
  }

  /// Returns true if the loop is waiting for its engine. The result is only a hint, because the
  /// wait may already have ended. Any thread may call.
  public boolean asleep() {
    return tasks.asleep();
  }

  /// Publishes the loop's counters in a counters file. Any thread may call.
  public void publishTo(CounterPublisher into) {
    counters.publishTo(into, name);
    into.gauge(name + "/connections", connections::count);
    into.gauge(name + "/output_bytes", outputMemory.kept()::usedBytes);
    into.gauge(name + "/output_waiting", outputRoom::waitingCount);
    into.counter(name + "/system_calls", engine::systemCalls);
  }

  /// Returns the number of bytes of memory held for connections. It is zero if no connection is
  /// left.
  public long heldBytes() {
    return partialAccount.usedBytes() + outputMemory.kept().usedBytes();
  }

  /// Returns the number of bytes of output memory that contain output not yet read by peers. The
  /// value is at most [LoopConfig#outputBytesPerLoop].
  public long outputBytes() {
    return outputMemory.kept().usedBytes();
  }

  /// Returns the total size in bytes of the copies created by [Connection#retain] that are still in
  /// use. Any thread may call.
  public long retainedBytes() {
    return copyAccount.usedBytes();
  }
}
