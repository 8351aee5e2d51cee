package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.Protocol;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.testbase.Await;
import sluice.testkit.EngineContractPeers.Action;
import sluice.testkit.EngineContractPeers.Peer;
import sluice.testkit.EngineContractRig.Opener;

/// A loop on the engine under test with its protocol and its peers, closed when the test ends.
/// Owned by the test's thread, which turns the loop; peers act while it turns.
final class LeaseContractRig {
  private static final long TURN_NANOS = 5 * EngineContractRig.MILLIS;
  private static final long TIMEOUT_NANOS = 60 * EngineContractRig.SECONDS;

  /// The minimum number of turns, even if a peer got no processor for a long time.
  private static final int LEAST_TURNS = 10;

  /// The default limits, except that a send may be blocked for ten minutes, so that no peer is late
  /// because the machine is busy.
  static final LoopConfig PATIENT =
      new LoopConfig(16_384, 64 << 10, 64L << 20, 4 << 20, 600_000_000_000L, 2_000_000_000L);

  final EngineContractPeers peers;
  private final Opener opener;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private EngineConfig engineConfig = new EngineConfig(64, 1024, 1024);
  private LoopConfig loopConfig = PATIENT;
  private @Nullable Engine engine;
  private @Nullable Loop loop;
  private @Nullable SocketAddress address;
  private @Nullable List<Runnable> held;

  LeaseContractRig(Opener opener, EngineContractPeers peers) {
    this.opener = opener;
    this.peers = peers;
  }

  /// Sets the configuration. Must be called before [#serve].
  void configure(EngineConfig forEngine, LoopConfig forLoop) {
    engineConfig = forEngine;
    loopConfig = forLoop;
  }

  /// Opens the loop with one listener.
  void serve(Protocol protocol) throws IOException {
    Engine made = opener.open(engineConfig);
    engine = made;
    loop = keep(new Loop("leases", made, loopConfig, peers::nanos, this::runSlowly));
    serveAlso(protocol);
  }

  /// Opens another listener, to which all further peers connect.
  void serveAlso(Protocol protocol) throws IOException {
    address =
        loop()
            .listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT, protocol)
            .localAddress();
    loop().turn(0);
  }

  private void runSlowly(Runnable task) {
    if (held != null) {
      held.add(task);
    } else {
      peers.later(0, task::run);
    }
  }

  /// Holds tasks of the slow path until [#releaseSlowPath].
  void holdSlowPath() {
    held = new ArrayList<>();
  }

  void releaseSlowPath() {
    List<Runnable> waiting = required(held);
    held = null;
    waiting.forEach(this::runSlowly);
  }

  Loop loop() {
    return required(loop);
  }

  ChunkArena arena() {
    return required(engine).sockets().arena();
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new AssertionError("the test has not called serve()");
    }
    return value;
  }

  <T extends AutoCloseable> T keep(T resource) {
    opened.add(resource);
    return resource;
  }

  Peer connect() throws IOException {
    return keep(peers.connect(required(address)));
  }

  List<Peer> connect(int count) throws IOException {
    List<Peer> connected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connected.add(connect());
    }
    return connected;
  }

  void turnUntil(String what, BooleanSupplier done) {
    long end = System.nanoTime() + TIMEOUT_NANOS; // simulated time costs nothing
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("time for: %s", what).isNegative();
      loop().turn(TURN_NANOS);
    }
  }

  /// Turns for a while in which nothing has to happen.
  void turnAWhile() {
    turnFor(50 * EngineContractRig.MILLIS, LEAST_TURNS);
  }

  private void turnFor(long nanos, int leastTurns) {
    long end = peers.nanos() + nanos;
    int[] turns = new int[1];
    turnUntil("a while", () -> turns[0]++ >= leastTurns && peers.nanos() - end >= 0);
  }

  /// Turns until no more input arrives: peers that still write are held back.
  void turnUntilQuiet() {
    Await await = new Await();
    long before;
    do {
      await.check("the end of what arrives");
      before = loop().counters().receivedBytes();
      turnFor(500 * EngineContractRig.MILLIS, 10 * LEAST_TURNS);
    } while (loop().counters().receivedBytes() != before);
  }

  /// Turns the loop until an action on another thread has ended.
  void during(String what, Action action) throws IOException {
    during(what, List.of(action));
  }

  /// Turns the loop until several concurrent actions have ended.
  void during(String what, List<Action> actions) throws IOException {
    List<EngineContractPeers.Task> tasks = new ArrayList<>();
    List<AtomicBoolean> ends = new ArrayList<>();
    for (Action action : actions) {
      AtomicBoolean ended = new AtomicBoolean();
      ends.add(ended);
      tasks.add(
          peers.later(
              0,
              () -> {
                try {
                  action.run();
                } finally {
                  ended.set(true);
                }
              }));
    }
    turnUntil(what, () -> ends.stream().allMatch(AtomicBoolean::get));
    for (EngineContractPeers.Task task : tasks) {
      task.join();
    }
  }

  /// Runs an action on a thread other than the loop's, without turning.
  void elsewhere(Action action) throws IOException {
    peers.later(0, action).join();
  }

  void close() throws Exception {
    for (AutoCloseable resource : opened.reversed()) {
      resource.close();
    }
  }
}
