package sluice.loop.server;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Supplier;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.counters.HandlerTimes;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.sockets.Log;

/// Runs an interruptlet on a network inside of the process until the JVM has compiled it, so that
/// no client pays for that. Belongs to the calling thread, which turns a loop of its own.
public final class WarmUp {
  /// Enough for the optimizing compiler.
  private static final int RUNS = 20_000;

  /// Runs on one connection, which is then replaced.
  private static final int RUNS_PER_CONNECTION = 1_000;

  private static final Duration LONGEST = Duration.ofSeconds(2);

  private WarmUp() {}

  /// What a warm-up has brought.
  ///
  /// @param runs of the interruptlet
  /// @param firstNanos the first run, which a client would have waited for
  /// @param warmNanos half of the runs took no longer, to 10 µs
  public record Report(long runs, long firstNanos, long warmNanos) {
    @Override
    public String toString() {
      return "first run "
          + firstNanos / 1000
          + " µs, after "
          + runs
          + " runs below "
          + Math.max(1, warmNanos / 1000)
          + " µs";
    }
  }

  /// Warms an interruptlet, says what that has brought, and then admits it: the first client is
  /// answered by compiled code. Until then messages go where they went.
  ///
  /// @param socket gets the interruptlet, as by [Interruptlets#admit]
  /// @param sample as in [#run]
  public static HandlerGuard admit(
      Interruptlets socket,
      String name,
      Supplier<? extends Interruptlet> perLoop,
      Duration limit,
      byte[] sample)
      throws IOException {
    before(name, socket.framing(), perLoop, sample);
    return socket.admit(name, perLoop, limit);
  }

  /// As [#run], and says in the log what it has brought. For what admits a handler afterwards.
  public static void before(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, byte[] sample)
      throws IOException {
    Report report = run(framing, perLoop, sample);
    Log.LOGGER.log(Level.DEBUG, () -> "handler '" + name + "' is warm: " + report);
  }

  /// Warms an interruptlet with one message, again and again.
  ///
  /// @param perLoop makes the instance that is warmed; its class gets compiled
  /// @param sample a whole message, as [Framing] says; the handler must bear to see it often
  public static Report run(Framing framing, Supplier<? extends Interruptlet> perLoop, byte[] sample)
      throws IOException {
    Interruptlets handlers = new Interruptlets(framing, (message, reply) -> {});
    HandlerGuard guard = handlers.admit("warm-up", perLoop, LONGEST);
    long end = System.nanoTime() + LONGEST.toNanos();
    InProcess network = new InProcess();
    try (Loop loop =
        new Loop(
            "warm-up",
            network.open(new EngineConfig(16, 16 << 10, 64)),
            LoopConfig.DEFAULT,
            NanoClock.SYSTEM,
            Runnable::run)) {
      SocketAddress name = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      SocketAddress at =
          loop.listen(name, ListenOptions.DEFAULT, handlers.protocol(loop)).localAddress();
      int runs = 0;
      while (runs < RUNS && System.nanoTime() < end) {
        runs += connection(network, at, loop, handlers, sample);
      }
    }
    HandlerTimes times = guard.times();
    return new Report(times.count(), times.firstNanos(), times.quantileNanos(0.5));
  }

  private static int connection(
      InProcess network, SocketAddress at, Loop loop, Interruptlets handlers, byte[] sample)
      throws IOException {
    int runs = 0;
    try (InProcessStream client = network.connect(at)) {
      InputStream replies = client.input();
      while (runs < RUNS_PER_CONNECTION) {
        long before = handlers.answered() + handlers.passed();
        client.output().write(sample);
        for (int turns = 0; turns < 100; turns++) {
          loop.turn(0);
          if (handlers.answered() + handlers.passed() > before) {
            break;
          }
        }
        if (handlers.answered() + handlers.passed() == before) {
          throw new IOException(
              "the sample is no message. Why: the framing waits for more after "
                  + sample.length
                  + " bytes. Fix: give a whole message, its end included.");
        }
        loop.turn(0);
        long _ = replies.skip(replies.available());
        runs++;
      }
    }
    return runs;
  }
}
