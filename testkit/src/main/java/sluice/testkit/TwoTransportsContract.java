package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.Transport;
import sluice.loop.server.InProcess;
import sluice.memory.View;
import sluice.testbase.Await;
import sluice.testkit.EngineContractPeers.Peer;

/// A loop that turns two transports: that of its engine, and in-process connections. Each has its
/// own arena, and a shortage of one does not affect the other. The test's thread owns the loop;
/// peers are other threads.
@Timeout(120)
public abstract class TwoTransportsContract {
  private static final long TURN_NANOS = 5_000_000;
  private static final long LONG_NANOS = 50_000_000_000L;
  private static final EngineConfig MANY = new EngineConfig(64, 4096, 64);
  private static final EngineConfig FEW = new EngineConfig(4, 256, 64);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final Set<Connection> open = new HashSet<>();
  private final InProcess inside = new InProcess();
  private final EngineContractPeers insidePeers = new InProcessPeers(inside);
  private @Nullable Engine engine;
  private @Nullable Loop loop;
  private @Nullable Transport transport;
  private @Nullable SocketAddress outerName;
  private @Nullable SocketAddress innerName;
  private int batches;
  private int messages;

  /// Opens the engine under test.
  protected abstract Engine open(EngineConfig config) throws IOException;

  /// Returns the peers of the engine; plain sockets unless overridden.
  protected EngineContractPeers peers() {
    return new EngineContractSockets();
  }

  /// Echoes all input.
  private final class Echo implements Protocol {
    @Override
    public void opened(Connection connection) {
      open.add(connection);
    }

    @Override
    public int received(Connection connection, View input) {
      messages++;
      connection.output().append(input, 0, input.length());
      return input.length();
    }

    @Override
    public void draining(Connection connection) {
      connection.close();
    }

    @Override
    public void closed(Connection connection) {
      open.remove(connection);
    }
  }

  @BeforeEach
  void openLoop() throws IOException {
    serve(MANY, MANY);
  }

  private void serve(EngineConfig outer, EngineConfig inner) throws IOException {
    if (loop != null) {
      loop.close();
    }
    engine = open(outer);
    Loop made = new Loop("two", engine, LeaseContractRig.PATIENT, System::nanoTime, Runnable::run);
    loop = made;
    transport = inside.attach(made, inner);
    made.beforeBatch(() -> batches++);
    outerName =
        made.listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT, new Echo())
            .localAddress();
    innerName =
        made.listen(
                transport,
                EngineContractRig.anyPort("127.0.0.1"),
                ListenOptions.DEFAULT,
                new Echo(),
                null)
            .localAddress();
    made.turn(0);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    turnUntil("the ends of all connections", open::isEmpty);
    int outerChunks = required(engine).sockets().arena().free();
    int outerCount = required(engine).sockets().arena().count();
    int innerChunks = required(transport).arena().free();
    int innerCount = required(transport).arena().count();
    loop().close();
    assertThat(outerChunks).as("chunks of the engine's arena").isEqualTo(outerCount);
    assertThat(innerChunks).as("chunks of the other arena").isEqualTo(innerCount);
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new AssertionError("nothing was opened");
    }
    return value;
  }

  private Loop loop() {
    return required(loop);
  }

  private Peer outer() throws IOException {
    Peer peer = peers().connect(required(outerName));
    opened.add(peer);
    return peer;
  }

  private Peer inner() throws IOException {
    Peer peer = insidePeers.connect(required(innerName));
    opened.add(peer);
    return peer;
  }

  private void turnUntil(String what, BooleanSupplier done) {
    Await await = new Await();
    while (!done.getAsBoolean()) {
      await.check(what);
      loop().turn(TURN_NANOS);
    }
  }

  private AtomicBoolean aside(EngineContractPeers.Action action) {
    AtomicBoolean done = new AtomicBoolean();
    EngineContractPeers.Task task =
        insidePeers.later(
            0,
            () -> {
              try {
                action.run();
              } finally {
                done.set(true);
              }
            });
    opened.addFirst(task::join);
    return done;
  }

  private static byte[] bytes(int count, int seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// Exchanges a message in pieces, so that no buffer limits its size.
  private static void echo(Peer peer, byte[] message, int pieces) throws IOException {
    int piece = message.length / pieces;
    for (int at = 0; at < message.length; at += piece) {
      byte[] part = Arrays.copyOfRange(message, at, Math.min(message.length, at + piece));
      peer.write(part);
      assertThat(peer.read(part.length)).isEqualTo(part);
    }
  }

  @Test
  void bothAnswerAtTheSameTime() throws IOException {
    List<AtomicBoolean> done = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Peer peer = i % 2 == 0 ? outer() : inner();
      byte[] message = bytes(400_000, i);
      done.add(aside(() -> echo(peer, message, 20)));
    }
    turnUntil("all answers", () -> done.stream().allMatch(AtomicBoolean::get));
  }

  @Test
  void aMessageFromInsideWakesALoopThatSleepsInItsEngine() throws IOException {
    Peer peer = inner();
    turnUntil("the connection", () -> !open.isEmpty());
    AtomicBoolean done = new AtomicBoolean();
    AtomicBoolean _ =
        aside(() -> {
          for (int i = 0; i < 300; i++) {
            echo(peer, bytes(10, i), 1);
            if (i % 3 == 0) {
              Thread.sleep(1); // the loop is asleep by then
            }
          }
          done.set(true);
          loop().execute(() -> {});
        });
    int turns = 0;
    long start = System.nanoTime();
    while (!done.get()) {
      turns++;
      assertThat(System.nanoTime() - start).as("%d turns", turns).isLessThan(LONG_NANOS);
      loop().turn(LONG_NANOS); // only messages end it
    }
  }

  /// Checks that a hook before the batch runs after all input of the turn has arrived, for both
  /// transports.
  @Test
  void allInputOfATurnComesBeforeItsFirstCompletion() throws IOException {
    Peer outside = outer();
    Peer within = inner();
    turnUntil("the connections", () -> open.size() == 2);
    for (int i = 0; i < 20; i++) {
      loop().turn(0);
      messages = 0;
      within.write(new byte[] {1});
      outside.write(new byte[] {2});
      batches = 0;
      turnUntil("a batch", () -> messages > 0);
      int first = batches;
      assertThat(first).as("hooks in the turn of the first input").isEqualTo(1);
      turnUntil("both", () -> messages == 2);
      assertThat(batches).isLessThanOrEqualTo(2);
      loop().turn(0); // sends the replies
      assertThat(within.read(1)).containsExactly(1);
      assertThat(outside.read(1)).containsExactly(2);
    }
  }

  @Test
  void anArenaThatIsEmptyStarvesItsOwnTransportOnly() throws IOException {
    serve(MANY, FEW);
    List<AtomicBoolean> done = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      Peer peer = i < 4 ? outer() : inner();
      byte[] message = bytes(i < 4 ? 40_000 : 20_000, i);
      done.add(aside(() -> echo(peer, message, 2)));
    }
    turnUntil("all answers", () -> done.stream().allMatch(AtomicBoolean::get));
  }

  @Test
  void aStarvedEngineDoesNotStarveTheOther() throws IOException {
    serve(FEW, MANY);
    List<AtomicBoolean> done = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      Peer peer = i < 20 ? outer() : inner();
      byte[] message = bytes(20_000, i);
      done.add(aside(() -> echo(peer, message, 2)));
    }
    turnUntil("all answers", () -> done.stream().allMatch(AtomicBoolean::get));
  }

  @Test
  void resetsAndCloseOfOneLeaveTheOther() throws IOException {
    Peer stays = outer();
    Peer staysInside = inner();
    for (int i = 0; i < 20; i++) {
      Peer goes = i % 2 == 0 ? outer() : inner();
      int seed = i;
      AtomicBoolean done =
          aside(() -> {
            echo(goes, bytes(1000, seed), 1);
            goes.write(bytes(1000, seed));
            if (seed % 4 < 2) {
              goes.reset();
            } else {
              goes.close();
            }
            echo(stays, bytes(100, seed), 1);
            echo(staysInside, bytes(100, seed), 1);
          });
      turnUntil("the answers", done::get);
    }
    turnUntil("the ends", () -> open.size() == 2);
  }

  @Test
  void drainingEndsBoth() throws IOException {
    Peer outside = outer();
    Peer within = inner();
    turnUntil("the connections", () -> open.size() == 2);
    loop().drain(60_000_000_000L);
    AtomicBoolean ended =
        aside(() -> {
          assertThat(outside.readsEnd()).isTrue();
          assertThat(within.readsEnd()).isTrue();
        });
    turnUntil("the ends", () -> ended.get() && open.isEmpty());
    assertThat(loop().stopping()).isTrue();
  }
}
