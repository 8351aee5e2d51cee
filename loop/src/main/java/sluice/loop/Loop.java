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

/// One event loop: an engine, its connections, their timers and an inbox. Owned by one platform
/// thread, which calls [#run] or [#turn]; other threads reach it only through [#execute].
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

  /// Runs slow handlers: the slow path, unless another was given.
  private Executor handlerPath;

  /// The transport whose completions are being delivered.
  private Transport delivering;

  private volatile @Nullable Thread owner;
  private boolean closed;

  /// @param slowPath runs what may block: reads of cold file pages, deferred messages
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

  /// Runs a task on the loop's thread, after what was given before. Any thread. Wakes the loop only
  /// if it sleeps.
  public void execute(Runnable task) {
    tasks.execute(task);
  }

  /// Asks the loop to end after the current turn. Any thread.
  public void stop() {
    tasks.stop();
  }

  public LoopCounters counters() {
    return counters;
  }

  // ---- for the owner thread -----------------------------------------------------------------

  /// Turns until [#stop].
  public void run() {
    while (!tasks.stopping()) {
      turn(-1);
      boolean _ = Thread.interrupted(); // by nothing of ours: it would end the next wait at once
    }
  }

  public boolean stopping() {
    return tasks.stopping();
  }

  /// One turn.
  ///
  /// @param maxWaitNanos 0 does not wait; negative waits until there is something to do
  /// @return completions handled
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

  /// Turns another transport beside the engine's from now on, and closes it at the end. Before the
  /// loop's first turn, or on its thread.
  public void attach(UserTransport transport) {
    transport.wakeBy(tasks::wake);
    userTransports.add(transport);
  }

  /// As [#listen(SocketAddress, ListenOptions, Protocol, TlsContext)] without TLS.
  public Listener listen(SocketAddress address, ListenOptions options, Protocol protocol)
      throws IOException {
    return listen(address, options, protocol, null);
  }

  /// Opens a listening socket.
  ///
  /// @param protocol answers its connections; not shared with another loop
  /// @param tls what its connections encrypt with; null for connections without TLS
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

  /// Takes over a descriptor that listens already; `protocol` and `tls` as in [#listen].
  public Listener adopt(int fd, Protocol protocol, @Nullable TlsContext tls) throws IOException {
    return acceptor.add(new Listener.Handle(kernel, kernel.adoptListener(fd), true), protocol, tls);
  }

  /// Serves a connected descriptor, which is the loop's from then on. On the loop's thread.
  ///
  /// @throws IOException when there is no place for one more connection, or the engine has no
  ///   descriptors; the descriptor stays the caller's then
  public Connection adoptConnected(int fd, Protocol protocol) throws IOException {
    if (!admission.hasPlace(0)) {
      throw SysException.of(Errno.EMFILE, "connect", "one connection above the loop's limit");
    }
    int socket = kernel.adoptConnected(fd);
    Listener.Handle none = new Listener.Handle(kernel, -1, true);
    return acceptor.adopt(new Listener(-1, none, protocol, null), socket);
  }

  /// Accepts no more on a listening socket until [#resumeAccepting]: clients wait in its queue. A
  /// few that the kernel has accepted already still come. On the loop's thread.
  public void pauseAccepting(Listener listener) {
    acceptor.hold(listener);
  }

  /// Accepts again. On the loop's thread.
  public void resumeAccepting(Listener listener) {
    acceptor.goOn(listener);
  }

  /// Has other loops of this process end idle connections when this one is short of descriptors and
  /// has none idle. On the loop's thread.
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
          tasks.execute(() -> tasks.execute(done)); // the closes have been carried out by then
        });
      }
    };
  }

  /// Accepts no more on a listening socket and closes it; its connections stay. What waited to be
  /// accepted on an adopted one is left to its other owner. On the loop's thread.
  ///
  /// @param closed runs once the socket is closed
  public void unlisten(Listener listener, Runnable closed) {
    listener.whenClosed = closed;
    acceptor.stop(listener);
  }

  /// Fails when another socket listens on the address already: shared listeners would not notice.
  public void checkFree(SocketAddress address, ListenOptions options) throws IOException {
    if (!(address instanceof InetSocketAddress inet) || inet.getPort() == 0) {
      return;
    }
    kernel.close(kernel.listen(address, options.withReusePort(false)));
    turn(0);
  }

  /// Makes it possible to wait for a descriptor that is no connection.
  ///
  /// @param ready runs when what was waited for has come
  public DescriptorWatch watch(int fd, Runnable ready) {
    return watches.add(fd, () -> tasks.run(ready));
  }

  /// Runs `hook` once before the first input of a turn is handled, when all input of that turn has
  /// arrived: what the hook sees is at least as new as every request it comes before.
  public void beforeBatch(Runnable hook) {
    turn.beforeBatch(hook);
  }

  /// Runs a task once, when the loop has done all else of this turn and is about to wait: what many
  /// tasks of a turn have staged leaves together. On the loop's thread.
  public void beforeWait(Runnable task) {
    beforeWait.add(task);
  }

  /// Runs `hook` when the loop has closed, after its last connection is gone, on the thread that
  /// closes it. Tasks given to [#execute] before the hook returns run after it. On the loop's
  /// thread.
  public void onClose(Runnable hook) {
    closeHooks.add(hook);
  }

  /// Takes back what [#onClose] was given: what it would close is closed. Does nothing while the
  /// loop closes. On the loop's thread.
  ///
  /// @param hook the same object
  public void forgetOnClose(Runnable hook) {
    if (!closed) {
      closeHooks.remove(hook);
    }
  }

  /// How many hooks there are now. On the loop's thread.
  int closeHooks() {
    return closeHooks.size();
  }

  /// How many watches there were at one time. On the loop's thread.
  int watchSlots() {
    return watches.slots();
  }

  /// Runs a task after a delay, give or take a turn.
  public void schedule(long delayNanos, Runnable task) {
    tasks.schedule(delayNanos, task);
  }

  /// Accepts what waits to be accepted and then no more, tells every protocol to finish, and ends
  /// the loop when the last connection is gone or the time is over.
  public void drain(long timeoutNanos) {
    drain.begin(timeoutNanos, clock.nanos());
  }

  /// Whether draining took too long and ended connections that were not finished. Any thread.
  public boolean cutOff() {
    return drain.cutOff();
  }

  public boolean draining() {
    return turn.draining();
  }

  /// Open connections.
  public int connectionCount() {
    return connections.count();
  }

  /// The time at the start of this turn's work, when its wait was over.
  public long now() {
    return turn.now();
  }

  /// What [#now] is read from, for parts that ask often.
  public TurnClock clock() {
    return turn;
  }

  public Executor slowPath() {
    return parts.slowPath();
  }

  /// Runs handlers that may block. On the loop's thread.
  public Executor handlerPath() {
    return handlerPath;
  }

  /// Runs slow handlers elsewhere than on the slow path. Before the loop's protocols are made.
  public void runHandlersOn(Executor path) {
    handlerPath = path;
  }

  public String engineName() {
    return engine.name();
  }

  /// Ends every connection and the engine. The owner, or any thread once the owner has ended.
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
      connections.forEach(this::abandon); // a ring takes nothing from another thread
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
    boolean ends =
        tasks.stopping() && !closed; // but then it waits for the kernel to let connections go
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

  /// A connection has ended, and nothing is in flight on its socket.
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

  /// The input that is being handled, for interruptlets.
  HandledInput handledInput() {
    return parts.input();
  }

  // ---- for the watchdog ---------------------------------------------------------------------

  /// What runs on the loop now.
  public RunningHandler handler() {
    return handler;
  }

  /// The thread that turns the loop; null before its first turn.
  public @Nullable Thread ownerThread() {
    return owner;
  }

  /// Whether the loop waits for its engine. A hint: it may be over already. Any thread.
  public boolean asleep() {
    return tasks.asleep();
  }

  /// Shows what the loop counts in a counters file. Any thread.
  public void publishTo(CounterPublisher into) {
    counters.publishTo(into, name);
    into.gauge(name + "/connections", connections::count);
    into.gauge(name + "/output_bytes", outputMemory.kept()::usedBytes);
    into.gauge(name + "/output_waiting", outputRoom::waitingCount);
    into.counter(name + "/system_calls", engine::systemCalls);
  }

  /// Everything that must be zero when no connection is left.
  public long heldBytes() {
    return partialAccount.usedBytes() + outputMemory.kept().usedBytes();
  }

  /// Memory that output takes which peers have not read, at most [LoopConfig#outputBytesPerLoop].
  public long outputBytes() {
    return outputMemory.kept().usedBytes();
  }

  /// Bytes of copies that [Connection#retain] has made and that are still used. Any thread.
  public long retainedBytes() {
    return copyAccount.usedBytes();
  }
}
