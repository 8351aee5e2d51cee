package sluice.loop.server;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.Protocol;
import sluice.loop.counters.HandlerTimes;
import sluice.loop.datagrams.DatagramInterruptlet;
import sluice.loop.datagrams.DatagramInterruptlets;
import sluice.loop.datagrams.UserDatagramSocket;
import sluice.loop.datagrams.UserDatagrams;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.sockets.Log;

/// The warm-up of interruptlets. An interruptlet is run on an in-process network until the JVM has
/// compiled it, so that no client has to wait for the compilation. Runs on the calling thread,
/// which turns a separate loop.
public final class WarmUp {
  /// The number of runs, which is sufficient for the optimizing compiler.
  private static final int RUNS = 20_000;

  /// The number of runs on one connection, which is then replaced.
  private static final int RUNS_PER_CONNECTION = 1_000;

  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final String NAME = "warm-up";

  private static final byte[] NOTHING = {};

  private WarmUp() {}

  /// The result of a warm-up.
  ///
  /// @param runs the number of runs of the interruptlet
  /// @param firstNanos the duration of the first run, which a client would have had to wait for
  /// @param warmNanos the median duration of the runs, with a precision of 10 µs
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

  /// Warms up an interruptlet, logs the result, and then admits the interruptlet, so that the first
  /// client is answered by compiled code. Until then, messages are processed as before.
  ///
  /// @param socket the handlers to which the interruptlet is admitted, as by [Interruptlets#admit]
  /// @param sample the sample, see [#run]
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

  /// Warms up an interruptlet as [#run] does, and logs the result. This method is intended for
  /// callers that admit the handler afterwards.
  public static void before(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, byte[] sample)
      throws IOException {
    say(name, run(framing, perLoop, sample));
  }

  /// Logs the result of a warm-up.
  public static void say(String name, Report report) {
    Log.LOGGER.log(Level.DEBUG, () -> "handler '" + name + "' is warm: " + report);
  }

  /// Warms up an interruptlet by repeatedly running it with one message.
  ///
  /// @param perLoop creates the instance that is run, whose class is thereby compiled
  /// @param sample a complete message as defined by the [Framing]; the handler must tolerate
  ///   repetitions
  public static Report run(Framing framing, Supplier<? extends Interruptlet> perLoop, byte[] sample)
      throws IOException {
    Interruptlets handlers = new Interruptlets(framing, (message, reply) -> {});
    return run(handlers::protocol, handlers.admit(NAME, perLoop, LONGEST), sample);
  }

  /// Warms up a handler of any protocol by repeatedly running it with one message.
  ///
  /// @param protocol contains the handler, and no code that must not be run
  /// @param guard watches the handler and counts its runs
  /// @param sample a complete message for the handler, which must tolerate repetitions
  /// @throws IOException if the sample does not reach the handler
  public static Report run(Function<Loop, Protocol> protocol, HandlerGuard guard, byte[] sample)
      throws IOException {
    long end = System.nanoTime() + LONGEST.toNanos();
    InProcess network = new InProcess();
    try (Loop loop = loop(network)) {
      SocketAddress name = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      SocketAddress at =
          loop.listen(name, ListenOptions.DEFAULT, protocol.apply(loop)).localAddress();
      int runs = 0;
      while (runs < RUNS && System.nanoTime() < end) {
        int more = connection(network, at, loop, guard, sample);
        if (more == 0) {
          throw new IOException(
              "the sample of "
                  + sample.length
                  + " bytes does not reach the handler. Why: it is no whole message, or not one for"
                  + " this handler. Fix: give a whole message, its end included.");
        }
        runs += more;
      }
    }
    return report(guard);
  }

  /// Warms up an interruptlet for datagrams, logs the result, and then admits the interruptlet.
  ///
  /// @param port the port to which the interruptlet is admitted, as by
  ///   [DatagramInterruptlets#admit]
  /// @param sample a datagram, at most [sluice.loop.datagrams.Datagrams#MOST_BYTES]; the handler
  ///   must tolerate repetitions
  public static HandlerGuard admit(
      DatagramInterruptlets port,
      String name,
      Supplier<? extends DatagramInterruptlet> maker,
      Duration limit,
      byte[] sample)
      throws IOException {
    say(name, run(maker, sample));
    return port.admit(name, maker, limit);
  }

  /// Warms up an interruptlet for datagrams by repeatedly running it with one datagram.
  ///
  /// @param maker creates the instance that is run
  public static Report run(Supplier<? extends DatagramInterruptlet> maker, byte[] sample)
      throws IOException {
    long end = System.nanoTime() + LONGEST.toNanos();
    try (Loop loop = loop(new InProcess())) {
      DatagramInterruptlets handlers = new DatagramInterruptlets(loop, (datagram, from) -> NOTHING);
      HandlerGuard guard = handlers.admit(NAME, maker, LONGEST);
      UserDatagrams port = new UserDatagrams(loop, new NoNetwork(), handlers);
      MemorySegment datagram = MemorySegment.ofArray(sample);
      for (int runs = 0; runs < RUNS && System.nanoTime() < end; runs++) {
        port.received(datagram, 0, sample.length, NoNetwork.ADDRESS, NoNetwork.PORT);
        loop.turn(0);
        checkFailures(guard);
      }
      return report(guard);
    }
  }

  private static void checkFailures(HandlerGuard guard) throws IOException {
    if (guard.times().failures() > 0) {
      throw new IOException(
          "the sample makes the handler fail. Why: the log has its exception. Fix: mend the"
              + " handler, or give a message that it answers.");
    }
  }

  private static Loop loop(InProcess network) throws IOException {
    return new Loop(
        NAME,
        network.open(new EngineConfig(16, 16 << 10, 64)),
        LoopConfig.DEFAULT,
        NanoClock.SYSTEM,
        Runnable::run);
  }

  private static Report report(HandlerGuard guard) {
    HandlerTimes times = guard.times();
    return new Report(times.count(), times.firstNanos(), times.quantileNanos(0.5));
  }

  /// Runs the handler on one connection.
  ///
  /// @return the number of runs; fewer than requested if the connection was closed
  private static int connection(
      InProcess network, SocketAddress at, Loop loop, HandlerGuard guard, byte[] sample)
      throws IOException {
    int runs = 0;
    try (InProcessStream client = network.connect(at)) {
      InputStream replies = client.input();
      while (runs < RUNS_PER_CONNECTION && ask(client, loop, guard, sample)) {
        loop.turn(0);
        long _ = replies.skip(replies.available());
        runs++;
        checkFailures(guard);
      }
    }
    return runs;
  }

  /// Sends one sample.
  ///
  /// @return true if the handler has run
  private static boolean ask(InProcessStream client, Loop loop, HandlerGuard guard, byte[] sample)
      throws IOException {
    long before = guard.times().count();
    try {
      client.output().write(sample);
    } catch (SocketException closed) {
      return false; // after its last reply
    }
    for (int turns = 0; turns < 100; turns++) {
      loop.turn(0);
      if (guard.times().count() > before) {
        return true;
      }
    }
    return false;
  }

  /// A network that accepts all datagrams and sends none.
  private static final class NoNetwork implements UserDatagramSocket {
    /// The address 127.0.0.1, in host order.
    static final int ADDRESS = 0x7f000001;

    static final int PORT = 9;

    @Override
    public InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
    }

    @Override
    public boolean send(MemorySegment memory, long at, int length, int address, int port) {
      return true;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
