package sluice.testkit.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.sys.Errno;
import sluice.testkit.sim.SimOperation.Completed;
import sluice.testkit.sim.SimOperation.Kind;
import sluice.testkit.sim.SimOperation.Lane;

/// A model of the kernel behind an [Engine]. It uses no descriptors and no real time, and makes
/// every choice from a seed. The thread that runs the simulation owns and turns it.
///
/// It does to its caller everything that the contracts of [Engine] and
/// [sluice.loop.engine.Transport] permit, as far as [SimFaults] allows. It also holds the caller to
/// those contracts: each breach throws a [SimViolation]. Waiting runs the events of the simulation
/// until one of them concerns this engine.
///
/// A turn consists of these steps: hand over staged operations → let time pass → collect
/// completions → deliver them → check that the bytes of silent sends have not changed since they
/// were staged.
public final class SimEngine implements Engine {
  private static final int IDLE_TURNS_ALLOWED = 16;
  private static final int EMPTY_TURNS_ALLOWED = 2_000;
  private static final int FIRST_DESCRIPTOR = 1 << 24;

  private final SimViolations violations;
  private final SimNetwork network;
  private final SimRandom random;
  private final SimFaults faults;
  private final SimArena arena;
  private final SimTransport transport;
  private final EngineConfig config;
  private final Map<Long, SimOperation> armed = new HashMap<>();
  private final Map<Integer, SimDescriptor> descriptors = new HashMap<>();

  /// The sends whose bytes the caller must not change.
  private final List<SimOperation> watched = new ArrayList<>();

  /// The lanes with a deliverable completion, one entry for each completion.
  private final List<Lane> ready = new ArrayList<>();

  /// The failures of sends, which the turn that submitted them must deliver.
  private final List<Completed> due = new ArrayList<>();

  private final ArrayDeque<Completed> batch = new ArrayDeque<>();
  private List<SimOperation> staged = new ArrayList<>();
  private List<SimOperation> handedOver = new ArrayList<>();
  private @Nullable Thread owner;
  private boolean turning;
  private boolean closed;
  private volatile boolean woken;
  private int idleTurns;
  private int emptyTurns;
  private int lowestFree = FIRST_DESCRIPTOR;
  private long systemCalls;

  SimEngine(SimViolations violations, SimNetwork network, EngineConfig config) {
    this.violations = violations;
    this.network = network;
    this.random = network.random();
    this.faults = network.faults();
    this.config = config;
    this.arena = new SimArena(this, config.chunks(), config.chunkBytes());
    this.transport = new SimTransport(this, network);
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public KernelTransport sockets() {
    return transport;
  }

  @Override
  public int turn(long timeoutNanos, CompletionSink sink) {
    checkOwner();
    if (turning) {
      throw new IllegalStateException("turn was called within a turn");
    }
    turning = true;
    try {
      systemCalls++;
      network.trace("turn", timeoutNanos, staged.size(), ready.size());
      boolean empty = timeoutNanos == 0 && staged.isEmpty();
      handOver();
      arena.reclaim();
      await(timeoutNanos);
      collect();
      int delivered = deliver(sink);
      checkSpinning(empty && delivered == 0);
      settleSends();
      violations.rethrow();
      return delivered;
    } finally {
      turning = false;
    }
  }

  @Override
  public void wake() {
    woken = true;
  }

  @Override
  public int pollOnce(int fd, int events, long token) {
    checkOwner();
    SimDescriptor descriptor = descriptors.get(fd);
    if (descriptor == null) {
      return -Errno.EOPNOTSUPP;
    }
    SimOperation[] self = new SimOperation[1];
    Runnable start = () -> descriptor.await(self[0], events);
    self[0] = new SimOperation(Kind.POLL, token, fd, new Lane(), null, start);
    stage(self[0]);
    return 0;
  }

  @Override
  public void cancel(long token) {
    checkOwner();
    stage(new SimOperation(Kind.CANCEL, token, -1, new Lane(), null, () -> startCancel(token)));
  }

  @Override
  public long systemCalls() {
    return systemCalls;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    checkOwner();
    closed = true;
    transport.closeAll();
    batch.addAll(due);
    for (Lane lane : ready) {
      batch.add(lane.waiting.remove());
    }
    for (Completed completed : batch) {
      if (Completion.hasChunk(completed.flags())) {
        arena.block(Completion.chunk(completed.flags())).release();
      }
    }
    arena.endBegun();
    arena.close();
  }

  /// Opens a descriptor for [#pollOnce].
  public SimDescriptor openDescriptor() {
    while (isOpen(lowestFree)) { // the kernel gives out the lowest free number
      lowestFree++;
    }
    int fd = lowestFree;
    SimDescriptor descriptor = new SimDescriptor(this, fd);
    descriptors.put(fd, descriptor);
    return descriptor;
  }

  void numberFree(int fd) {
    lowestFree = Math.min(lowestFree, fd);
  }

  /// Returns true if the number belongs to an open [SimDescriptor].
  public boolean isOpen(int fd) {
    SimDescriptor descriptor = descriptors.get(fd);
    return descriptor != null && !descriptor.isClosed();
  }

  /// Opens a file for [sluice.loop.engine.Transport#sendFile].
  public int openFile(byte[] content) {
    return transport.openFile(content);
  }

  public void closeFile(int fd) {
    transport.closeFile(fd);
  }

  /// Fails unless the caller has closed every socket and listener, and every chunk has been
  /// returned.
  public void checkNothingLeft() {
    transport.checkNothingOpen();
    if (arena.free() != arena.count()) {
      StringBuilder out = new StringBuilder();
      for (int chunk = 0; chunk < arena.count(); chunk++) {
        int leases = arena.block(chunk).leases();
        if (leases != 0) {
          out.append(" chunk ").append(chunk).append(" has ").append(leases).append(" leases;");
        }
      }
      throw violation("chunks leaked:" + out);
    }
    if (!armed.isEmpty()) {
      throw violation("still armed: " + armed.values());
    }
  }

  EngineConfig config() {
    return config;
  }

  SimArena arena() {
    return arena;
  }

  SimRandom random() {
    return random;
  }

  /// Returns an error about this simulation, with its seed and its last events.
  public SimViolation violation(String message) {
    return violations.violation(message);
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself only
  void checkOwner() {
    if (closed) {
      throw new IllegalStateException("the engine is closed");
    }
    Thread current = Thread.currentThread();
    if (owner == null) {
      owner = current;
      arena.own(current);
    } else if (current != owner) {
      throw new WrongThreadException("engine of " + owner + " called by " + current);
    }
  }

  void stage(SimOperation operation) {
    network.trace("stage " + operation.kind, operation.number, operation.token, 0);
    if (operation.token == 0 && (operation.kind.armed() || operation.kind == Kind.SEND)) {
      throw violation("token 0 is not used: " + operation);
    }
    if (operation.kind.armed()) {
      SimOperation other = armed.putIfAbsent(operation.token, operation);
      if (other != null) {
        throw violation(operation + " has the token of " + other);
      }
    }
    if (operation.bytes != null) {
      watched.add(operation);
    }
    staged.add(operation);
  }

  /// Returns true if a shutdown of the socket is staged and not handed over yet.
  boolean shutdownStaged(int number) {
    return staged.stream().anyMatch(o -> o.kind == Kind.SHUTDOWN && o.number == number);
  }

  /// Returns a number for an accepted socket, or -EMFILE.
  int open(SimSocket socket) {
    return transport.open(socket);
  }

  /// Queues a completion that is not the last one of its operation.
  void queue(SimOperation operation, int result, long flags) {
    Lane lane = operation.lane;
    lane.waiting.add(new Completed(operation, result, flags));
    long now = network.nanos();
    long at = faults.roll(SimFault.DELAY) ? now + random.skewed(1_000_000) : now;
    lane.lastReadyNanos = Math.max(lane.lastReadyNanos, at);
    if (lane.lastReadyNanos == now) {
      ready.add(lane);
    } else {
      network.scheduler().at(lane.lastReadyNanos, () -> ready.add(lane));
    }
  }

  /// Queues the last completion of an operation.
  void finish(SimOperation operation, int result, long flags) {
    operation.finished = true;
    queue(operation, result, flags);
  }

  /// Ends a send: silently if all bytes were taken, otherwise with a completion in this turn.
  void finishSend(SimOperation operation, int result, int length) {
    operation.finished = true;
    if (result != length) {
      due.add(new Completed(operation, result, 0));
    }
  }

  void checkBytes(SimOperation operation, int from, int to) {
    if (operation.bytes != null) {
      int change = operation.bytes.firstChange(from, to);
      if (change >= 0) {
        throw violation(
            operation + ": byte " + change + " was changed while the send was in flight");
      }
    }
  }

  /// Checks that a returned chunk is not in use by a send.
  void chunkGivenBack(int chunk) {
    network.trace("chunk given back", chunk, arena.free(), 0);
    for (SimOperation operation : watched) {
      if (operation.bytes != null && operation.bytes.overlaps(arena.block(chunk).segment())) {
        throw violation("chunk " + chunk + " was given back in flight: " + operation);
      }
    }
  }

  private void handOver() {
    List<SimOperation> now = staged;
    staged = handedOver;
    handedOver = now;
    for (SimOperation operation : now) {
      operation.started = true;
      if (operation.bytes != null) {
        checkBytes(operation, 0, operation.bytes.length());
      }
      operation.action.run();
    }
  }

  private void startCancel(long token) {
    SimOperation operation = armed.get(token);
    if (operation == null || !operation.active()) {
      return;
    }
    if (faults.roll(SimFault.CANCEL_RACE)) {
      network.scheduler().after(random.skewed(300_000), () -> finishCancelled(operation));
    } else {
      finishCancelled(operation);
    }
  }

  private void finishCancelled(SimOperation operation) {
    if (operation.active()) {
      finish(operation, -Errno.ECANCELED, 0);
    }
  }

  private void await(long timeoutNanos) {
    SimScheduler scheduler = network.scheduler();
    scheduler.runUntil(network.nanos() + random.between(200, 4_000));
    long deadline = timeoutNanos < 0 ? Long.MAX_VALUE : network.nanos() + timeoutNanos;
    if (timeoutNanos != 0 && nothingToDeliver() && faults.roll(SimFault.EINTR)) {
      return;
    }
    boolean spurious = timeoutNanos != 0 && faults.roll(SimFault.SPURIOUS_WAKE);
    while (nothingToDeliver() && !woken) {
      if (!scheduler.runNext(deadline)) {
        runOutOfEvents(timeoutNanos, deadline);
        break;
      }
      idleTurns = 0;
      if (spurious) {
        break;
      }
    }
    woken = false;
  }

  private void runOutOfEvents(long timeoutNanos, long deadline) {
    if (timeoutNanos >= 0) {
      network.scheduler().clock().moveTo(Math.max(network.nanos(), deadline));
    } else if (++idleTurns > IDLE_TURNS_ALLOWED) {
      throw violation("the caller waits without limit, but nothing can ever happen");
    }
  }

  private void checkSpinning(boolean empty) {
    emptyTurns = empty ? emptyTurns + 1 : 0;
    if (emptyTurns > EMPTY_TURNS_ALLOWED) {
      throw violation("the caller spins: " + emptyTurns + " turns did nothing and did not wait");
    }
  }

  private boolean nothingToDeliver() {
    return ready.isEmpty() && due.isEmpty() && batch.isEmpty();
  }

  /// Selects the completions to deliver in this turn, and their order.
  private void collect() {
    boolean reorder = faults.roll(SimFault.REORDER);
    int count = ready.size();
    if (reorder) {
      for (int i = count - 1; i > 0; i--) {
        int other = random.below(i + 1);
        Lane lane = ready.get(i);
        ready.set(i, ready.get(other));
        ready.set(other, lane);
      }
    }
    if (count > 1 && faults.roll(SimFault.SMALL_BATCH)) {
      count = random.between(1, count);
    }
    List<Completed> chosen = new ArrayList<>(count + due.size());
    for (int i = 0; i < count; i++) {
      chosen.add(ready.get(i).waiting.remove());
    }
    ready.subList(0, count).clear();
    for (Completed failure : due) {
      chosen.add(reorder ? random.below(chosen.size() + 1) : 0, failure);
    }
    due.clear();
    batch.addAll(chosen);
  }

  private int deliver(CompletionSink sink) {
    int delivered = 0;
    while (!batch.isEmpty() && !closed) {
      Completed next = batch.remove();
      SimOperation operation = next.operation();
      network.trace("complete " + operation.kind, operation.number, next.result(), next.flags());
      if (!Completion.hasMore(next.flags())) {
        if (operation.kind == Kind.SEND_ALL && operation.bytes != null) {
          checkBytes(operation, 0, operation.bytes.length());
        }
        settle(operation);
      }
      if (operation.kind == Kind.ACCEPT && next.result() >= 0) {
        transport.known(next.result());
      }
      delivered++;
      sink.complete(operation.token, next.result(), next.flags());
    }
    return delivered;
  }

  private void settle(SimOperation operation) {
    operation.settled = true;
    if (operation.kind.armed()) {
      armed.remove(operation.token, operation);
    }
    if (operation.bytes != null) {
      watched.remove(operation);
    }
  }

  /// Ends the turn: sends that stayed silent have succeeded, and their bytes are free.
  private void settleSends() {
    for (SimOperation operation : handedOver) {
      if (operation.kind == Kind.SEND && !operation.settled && operation.bytes != null) {
        checkBytes(operation, 0, operation.bytes.length());
        settle(operation);
      }
    }
    handedOver.clear();
  }
}
