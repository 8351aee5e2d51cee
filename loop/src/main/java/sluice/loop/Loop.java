package sluice.loop;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.engine.Token;
import sluice.loop.engine.Transport;
import sluice.loop.engine.UserTransport;
import sluice.loop.output.OutSegment;
import sluice.loop.output.Staging;
import sluice.loop.sockets.Log;
import sluice.loop.tls.TlsContext;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// One event loop: an engine, its connections, their timers and an inbox. Owned by one platform
/// thread, which calls [#run] or [#turn]; other threads reach it only through [#execute].
///
/// One turn: stage one send per dirty connection → one kernel crossing submits them, waits and
/// drains all completions → framing, handlers, slow-path hand-offs → settle the sends that were
/// submitted → inbox → timers.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | asleep | loop; a waker clears it | volatile | volatile |
/// | stopping | any thread | volatile | volatile |
/// | everything else | loop | plain | plain |
public final class Loop implements AutoCloseable {
  private static final int CLOSE_TURNS = 2_000;

  private final String name;
  private final Engine engine;
  private final KernelTransport kernel;
  private final List<UserTransport> userTransports = new ArrayList<>();
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
  private final Admission admission;
  private final OutputRoom outputRoom;
  private final Acceptor acceptor;
  private final Receiver receiver;
  private final ProtocolCalls calls;
  private final Drain drain;
  private final ArrayDeque<Connection> resumes = new ArrayDeque<>();
  private final DelayedTasks delayed = new DelayedTasks();
  private final List<DescriptorWatch> watches = new ArrayList<>();
  private final List<Runnable> batchHooks = new ArrayList<>();
  private final List<Runnable> closeHooks = new ArrayList<>();
  private final CompletionSink sink = this::complete;
  private final Consumer<Runnable> tasks = this::runTask;

  /// The transport whose completions are being delivered.
  private Transport delivering;

  private volatile @Nullable Thread owner;
  private Staging staging;
  private Staging submitted;
  private long now;
  private boolean timed;
  private boolean batchOpen;
  private boolean closed;

  private final RunningHandler handler = new RunningHandler();
  private volatile boolean asleep;
  private volatile boolean stopping;

  /// @param slowPath runs what may block: reads of cold file pages, deferred messages
  public Loop(String name, Engine engine, LoopConfig config, NanoClock clock, Executor slowPath) {
    this.name = name;
    this.engine = engine;
    this.kernel = engine.sockets();
    this.delivering = kernel;
    this.config = config;
    this.clock = clock;
    this.slowPath = slowPath;
    this.now = clock.nanos();
    this.timers = new TimerWheel(now);
    this.partialAccount = new Account(name + " partial messages", config.partialBytesPerLoop());
    this.outputAccount = new Account(name + " output", config.outputBytesPerLoop());
    this.copyAccount = new Account(name + " copies", config.leases().copiedBytesPerLoop());
    this.stagingAccount = new Account(name + " staging", 16L * config.stagingBytes());
    this.staging = new Staging(stagingAccount, config.stagingBytes());
    this.submitted = new Staging(stagingAccount, config.stagingBytes());
    this.connections = new Connections();
    this.admission = new Admission(connections, counters, config.maxConnections());
    this.flushes = new FlushQueue(this);
    this.eviction = new Eviction(connections);
    this.outputRoom = new OutputRoom(this, outputAccount);
    this.calls = new ProtocolCalls(this, copyAccount);
    this.acceptor = new Acceptor(this, connections, admission);
    this.receiver = new Receiver(this, connections);
    this.drain = new Drain(this, acceptor, connections);
  }

  // ---- for any thread -----------------------------------------------------------------------

  public String name() {
    return name;
  }

  /// Runs a task on the loop's thread, after what was given before. Any thread. Wakes the loop only
  /// if it sleeps.
  public void execute(Runnable task) {
    inbox.add(task);
    wake();
  }

  private void wake() {
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
    for (int i = 0; i < userTransports.size(); i++) {
      userTransports.get(i).collect();
    }
    long wait = waitNanos(maxWaitNanos);
    batchOpen = false;
    if (wait != 0) {
      asleep = true;
      if (!inbox.isEmpty() || userTransportReady()) {
        asleep = false;
        wait = 0;
      }
    }
    timed = false;
    int handled = engine.turn(wait, sink);
    for (int i = 0; i < userTransports.size(); i++) {
      handled += deliver(userTransports.get(i));
    }
    if (asleep) {
      asleep = false;
    }
    lookAtClock();
    counters.turns++;
    counters.completions += handled;
    flushes.settleAll();
    submitted.reset();
    admission.turnEnded();
    acceptor.turnEnded();
    inbox.runAll(tasks);
    delayed.runDue(now, tasks);
    timers.advance(now);
    receiver.feedStarved(kernel.arena());
    for (int i = 0; i < userTransports.size(); i++) {
      receiver.feedStarved(userTransports.get(i).sockets().arena());
    }
    outputRoom.wake();
    return handled;
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
    transport.wakeBy(this::wake);
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
    DescriptorWatch made = new DescriptorWatch(this, watches.size(), fd, () -> runTask(ready));
    watches.add(made);
    return made;
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
    delayed.add(clock.nanos() + delayNanos, task);
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
    return drain.begun();
  }

  /// Open connections.
  public int connectionCount() {
    return connections.count();
  }

  /// The time at the start of this turn's work, when its wait was over.
  public long now() {
    return now;
  }

  public Executor slowPath() {
    return slowPath;
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
    connections.forEach(Connection::abort);
    for (int i = 0; i < CLOSE_TURNS && connections.count() > 0; i++) {
      turn(1_000_000L);
    }
    int left = connections.count();
    if (left > 0) {
      Log.LOGGER.log(
          Level.WARNING,
          () -> name + ": " + left + " connections do not end; what they send stays");
    }
    engine.close();
    userTransports.forEach(UserTransport::close);
    staging.close();
    submitted.close();
    closeHooks.forEach(this::runTask);
    inbox.runAll(tasks);
  }

  // ---- turning ------------------------------------------------------------------------------

  private void begin() {
    if (owner == null) {
      owner = Thread.currentThread();
      calls.ownedBy(Thread.currentThread());
    }
  }

  private void swapStaging() {
    Staging filled = staging;
    staging = submitted;
    submitted = filled;
    outputRoom.measure(staging);
  }

  private long waitNanos(long maxWaitNanos) {
    boolean ends = stopping && !closed; // but then it waits for the kernel to let connections go
    if (maxWaitNanos == 0 || !resumes.isEmpty() || flushes.hasMore() || ends) {
      return 0;
    }
    if (outputRoom.wakesSoon(flushes.unsettled())) {
      return 0;
    }
    long wait = earlier(maxWaitNanos, timers.untilNextTick(now));
    wait = earlier(wait, delayed.untilNext(now));
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

  void openBatch() {
    if (!batchOpen) {
      batchOpen = true;
      if (asleep) {
        asleep = false; // the wait is over: adding to the inbox need not wake us
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
        connection.input.resume();
      }
    }
  }

  private void runTask(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      counters.taskFailures++;
      Log.LOGGER.log(Level.ERROR, () -> name + ": a task failed", e);
    }
  }

  /// Once in a turn, when its wait is over. A deadline that is set in a turn is counted from there,
  /// so neither the time that the loop has slept nor what it works in this turn is taken from it.
  private void lookAtClock() {
    if (!timed) {
      timed = true;
      now = clock.nanos();
    }
  }

  private void complete(long token, int result, int flags) {
    lookAtClock();
    switch (Token.op(token)) {
      case Token.RECEIVE -> receiver.received(delivering.arena(), token, result, flags);
      case Token.ACCEPT -> acceptor.accepted(token, result, flags);
      case Token.SEND -> flushes.sendFellShort(connections.get(token), result);
      case Token.SEND_ALL -> flushes.sentAll(connections.get(token), result);
      case Token.WRITABLE -> flushes.writable(connections.get(token), result);
      case Token.POLL -> {
        openBatch();
        watches.get(Token.index(token)).completed();
      }
      default -> throw new AssertionError("token " + Long.toHexString(token));
    }
  }

  // ---- for connections ----------------------------------------------------------------------

  Admission admission() {
    return admission;
  }

  ProtocolCalls calls() {
    return calls;
  }

  void remove(Connection connection) {
    connection.transport.close(connection.socket);
    connections.remove(connection);
    admission.removed(connection);
    acceptor.descriptorFreed();
    counters.closed++;
    outputRoom.forget(connection);
    connection.released();
    calls.closed(connection);
    stopWhenDrained();
  }

  void stopWhenDrained() {
    drain.stopWhenEmpty();
  }

  void queueDirty(Connection connection) {
    flushes.add(connection);
  }

  void queueResume(Connection connection) {
    if (!connection.input.resumeQueued) {
      connection.input.resumeQueued = true;
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
    return asleep;
  }

  /// Shows what the loop counts in a counters file. Any thread.
  public void publishTo(CounterPublisher into) {
    counters.publishTo(into, name);
    into.gauge(name + "/connections", connections::count);
    into.gauge(name + "/output_bytes", outputAccount::usedBytes);
    into.gauge(name + "/output_waiting", outputRoom::waitingCount);
    into.counter(name + "/system_calls", engine::systemCalls);
  }

  Account outputAccount() {
    return outputAccount;
  }

  OutputRoom outputRoom() {
    return outputRoom;
  }

  /// Bytes that this turn and the one before have staged, as far as they are not settled.
  long stagedBytes() {
    return staging.usedBytes() + submitted.usedBytes();
  }

  Account copyAccount() {
    return copyAccount;
  }

  /// Everything that must be zero when no connection is left.
  public long heldBytes() {
    return partialAccount.usedBytes() + outputAccount.usedBytes();
  }

  /// Memory that output takes which peers have not read, at most [LoopConfig#outputBytesPerLoop].
  public long outputBytes() {
    return outputAccount.usedBytes();
  }

  /// Bytes of copies that [Connection#retain] has made and that are still used. Any thread.
  public long retainedBytes() {
    return copyAccount.usedBytes();
  }

  /// Whether input that blocked output holds must make room for what is received.
  boolean inputScarce(ChunkArena arena) {
    return HandledInput.scarce(arena)
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

  KernelTransport kernel() {
    return kernel;
  }

  TimerWheel timers() {
    return timers;
  }

  LoopConfig config() {
    return config;
  }
}
