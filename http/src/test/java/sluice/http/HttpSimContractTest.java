package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.Backend;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Slice;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimFault;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// The parts of [HttpContract] that need no kernel's sockets, over the simulated engine: short
/// transfers, EINTR, reordering and an empty arena, as the seed has it, but no connection that the
/// kernel breaks; clients reset theirs. Files and inotify are real ones.
///
/// Time stands still while the test acts: a wait of the loop ends when what the test waits for has
/// come, and not at the loop's next deadline.
///
/// Above [HttpContractDrain] are the parts that cannot run here. [HttpContractPages]: the simulated
/// engine sends no pages of real files, and does not wait for the descriptor of inotify.
/// [HttpContractDrainSockets]: handshakes and accept queues are the kernel's, TLS clients and those
/// that come in crowds have threads. [HttpContractLog]: the log and handlers that stream have
/// threads that wait for the loop. [HttpContractDownloads]: its readers select on real sockets.
///
/// Everything runs on the test's thread, except tasks of the slow path while that waits for them.
@ParameterizedClass(name = "seed {0}")
@MethodSource("seeds")
@Timeout(240)
class HttpSimContractTest extends HttpContractDrain {
  private static final int MAX_TURNS = 2_000_000;
  private static final long SEEDS = 10;

  /// What a client holds that its test has not read.
  private static final int WINDOW_BYTES = 1 << 20;

  /// Simulated time is no measure of patience: a client may write a byte at a time.
  private static final Duration LONG = Duration.ofHours(10);

  private static final LoopConfig LOOP =
      new LoopConfig(1_000, 64 << 10, 64 << 20, 4 << 20, LONG.toNanos(), LONG.toNanos());

  static LongStream seeds() {
    Long only = Long.getLong("sluice.seed");
    return only == null ? Slice.current().seeds(SEEDS) : LongStream.of(only);
  }

  @Parameter long seed;
  private @Nullable Simulated simulated;

  /// A server in a world of its own.
  private static final class Simulated {
    final SimWorld world;
    final HttpParts parts;
    final Loop loop;
    final SocketAddress address;
    private final SimEngine engine;

    private boolean over;

    /// What the test waits for.
    private BooleanSupplier awaited = () -> false;

    Simulated(SimWorld world, HttpConfig config, HttpParts parts) throws IOException {
      this.world = world;
      this.parts = parts;
      SimSlowPath slowPath = new SimSlowPath(world.scheduler(), world.random());
      engine = world.engine();
      loop = new Loop("sim", engine, config.server().loop(), world.clock(), slowPath);
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      address = loop.listen(any, ListenOptions.DEFAULT, parts.protocol(loop)).localAddress();
    }

    void turnUntil(BooleanSupplier done) {
      awaited = done;
      try {
        world.turnUntil(done, MAX_TURNS, this::turn);
      } finally {
        awaited = () -> false;
      }
    }

    /// As [Loop#run]; clients go on when it is over.
    private void turn() {
      if (over) {
        world.pass();
      } else if (loop.stopping()) {
        end();
      } else {
        loop.turn(-1);
      }
    }

    /// Ends a wait of the loop when what the test waits for has come: the test goes on at that
    /// time, and not at the loop's next deadline.
    void changed() {
      if (awaited.getAsBoolean()) {
        engine.wake();
      }
    }

    void after(long delayNanos, Runnable action) {
      world
          .scheduler()
          .after(
              delayNanos,
              () -> {
                action.run();
                changed();
              });
    }

    void drain(Duration timeout) {
      loop.execute(() -> loop.drain(timeout.toNanos()));
      turnUntil(loop::draining);
    }

    /// Waits for the end of a drain, and closes.
    ///
    /// @return whether everything finished in time
    boolean drained() {
      turnUntil(() -> over);
      return !loop.cutOff();
    }

    private void end() {
      over = true;
      loop.close();
      String seed = "seed " + world.seed();
      assertThat(loop.counters().handlerFailures()).as(seed).isZero();
      assertThat(loop.counters().taskFailures()).as(seed).isZero();
      assertThat(loop.connectionCount()).as(seed).isZero();
      assertThat(loop.heldBytes()).as(seed).isZero();
      engine.checkNothingLeft();
      parts.close();
    }

    void close() {
      if (!over) {
        drain(LONG);
        drained();
      }
      world.close();
    }
  }

  private Simulated simulated() {
    return Objects.requireNonNull(simulated);
  }

  @Override
  Backend backend() {
    throw new AssertionError("the simulated engine is none of the backends");
  }

  @Override
  void start(Site site, UnaryOperator<HttpConfig> change) throws IOException {
    if (simulated != null) {
      simulated.close();
    }
    ServerConfig server = ServerConfig.onLoopback("sim", 0).withLoop(LOOP);
    HttpConfig patient = HttpConfig.of(server, site).withTimeouts(LONG, LONG);
    HttpConfig config = change.apply(patient);
    SimWorld world = new SimWorld(seed);
    world.faults().with(SimFault.RESET, 0).with(SimFault.ACCEPT_ABORTED, 0);
    simulated = new Simulated(world, config, new HttpParts(config, complaints::add));
  }

  @AfterEach
  @Override
  void stopServer() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    simulated().close();
    assertThat(complaints).isEmpty();
  }

  @Override
  HttpPeer connect(int receiveBytes) throws IOException {
    Simulated here = simulated();
    SimRandom random = here.world.random();
    int window = receiveBytes == 0 ? WINDOW_BYTES : receiveBytes;
    SimClient.Pace pace =
        new SimClient.Pace(
            random.skewed(16_384), Math.min(window, 64 << 10), random.skewed(100_000), 0);
    SimClient client = here.world.client(pace).window(window).staysOpen();
    client.listener(changed -> here.changed()).connect(here.address);
    here.turnUntil(() -> client.established() || client.over());
    return new HttpPeer(new SimSocket(client, here::turnUntil));
  }

  @Override
  void drip(HttpPeer peer, String text, int gapMillis) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < bytes.length; i++) {
      byte[] drop = {bytes[i]};
      long at = TimeUnit.MILLISECONDS.toNanos((long) i * gapMillis);
      simulated().after(at, () -> peer.trySend(drop));
    }
  }

  /// What is sent is buffered by the client: it needs no thread.
  @Override
  Thread sendAside(HttpPeer peer, byte[] bytes) {
    peer.trySend(bytes);
    return Thread.ofVirtual().start(() -> {});
  }

  @Override
  int beyondBuffers() {
    return 4 * WINDOW_BYTES;
  }

  @Override
  void reload() throws IOException {
    simulated().parts.reload();
  }

  @Override
  BooleanSupplier drain(Duration timeout) {
    Simulated here = simulated();
    here.drain(timeout);
    return here::drained;
  }

  @Override
  long nanos() {
    return simulated().world.clock().nanos();
  }

  @Override
  void publishTo(CounterPublisher counters) {
    simulated().parts.publishTo(counters);
  }

  @Override
  Loop loop() {
    return simulated().loop;
  }

  /// Lets a while pass, so that what was sent arrives first.
  @Override
  long onLoop(ToLongFunction<Loop> question) {
    boolean[] passed = {false};
    simulated().after(10_000_000, () -> passed[0] = true);
    simulated().turnUntil(() -> passed[0]);
    return question.applyAsLong(loop());
  }
}
