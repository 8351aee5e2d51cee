package sluice.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import sluice.loop.Framing;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.Output;
import sluice.loop.engine.Backend;
import sluice.loop.server.HandlerThreads;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.memory.View;

/// A server whose handler works for a while for some requests: a GET of `/l…` spins, any other does
/// not, and both get the same short reply. The handler runs on the loop's thread, or a pool answers
/// the long requests, or all of them. In addition slow jobs may keep the core busy, on the slow
/// path.
public final class HandlerServer {
  /// Returns the smallest request for a path.
  public static byte[] request(String path) {
    return ("GET " + path + " HTTP/1.1\r\n\r\n").getBytes(US_ASCII);
  }

  public static final byte[] BODY = "ok".getBytes(US_ASCII);

  private static final byte[] REPLY =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(US_ASCII);

  /// The index of the first letter of a path's name.
  private static final int PATH = "GET /".length();

  private static final int POOL_THREADS = 16;

  private static final long JOB_NANOS = 1_000_000;

  private static final Duration LIMIT = Duration.ofSeconds(1);

  /// Finds the end of a head without a body: its blank line.
  private static final Framing HEADS =
      (input, from) -> {
        for (int at = from; ; at++) {
          at = input.indexOf((byte) '\r', at, input.length());
          if (at < 0 || at + 4 > input.length()) {
            return Framing.MORE;
          }
          if (input.get(at + 1) == '\n' && input.get(at + 2) == '\r') {
            return at + 4 - from;
          }
        }
      };

  /// The ways to divide requests between the loop's own thread and others.
  private enum Way {
    INLINE,
    LONG_ONES_HANDED_OFF,
    VIRTUAL_THREADS,
    ON_LOOP_THREAD,
    POOL;

    boolean handsOff(boolean isLong) {
      return this != INLINE && (isLong || this != LONG_ONES_HANDED_OFF);
    }
  }

  private HandlerServer() {}

  /// Runs the server. Arguments: `PORT
  /// inline|long-ones-handed-off|virtual-threads|on-loop-thread|pool MICROS JOBS`.
  public static void main(String[] args) throws IOException, InterruptedException {
    Way way = Way.valueOf(args[1].toUpperCase(Locale.ROOT).replace('-', '_'));
    long spinNanos = Long.parseLong(args[2]) * 1000;
    Interruptlets socket =
        new Interruptlets(
            HEADS, (message, out) -> slow(message, out, spinNanos), Duration.ofHours(1));
    socket.admit("spinner", () -> (message, reply) -> fast(message, reply, way, spinNanos), LIMIT);
    ServerConfig config =
        ServerConfig.onLoopback("handler", Integer.parseInt(args[0]))
            .withBackend(Backend.parse("io_uring"));
    if (way == Way.POOL) {
      config = withSlowPath(config, Executors.newFixedThreadPool(POOL_THREADS));
    } else if (way == Way.ON_LOOP_THREAD) {
      config = config.withHandlers(HandlerThreads.LOOP);
    }
    int jobs = Integer.parseInt(args[3]);
    Executor slowPath = config.slowPath();
    if (jobs > 0) {
      Thread.ofPlatform().daemon().start(() -> keepBusy(slowPath, new Semaphore(jobs)));
    }
    try (Server server = Server.start(config, socket::protocol)) {
      System.out.println(way + " on port " + server.port() + ": " + server.engine());
      server.awaitEnd();
    }
  }

  private static ServerConfig withSlowPath(ServerConfig config, Executor slowPath) {
    return new ServerConfig(
        config.name(),
        config.addresses(),
        config.adopted(),
        config.loops(),
        config.backend(),
        config.engine(),
        config.loop(),
        config.listen(),
        config.tls(),
        slowPath);
  }

  /// Submits a job of a millisecond as soon as one has ended. It submits from a platform thread, as
  /// a loop does, since a thread that a virtual thread starts runs before those started from
  /// outside.
  private static void keepBusy(Executor slowPath, Semaphore room) {
    while (true) {
      room.acquireUninterruptibly();
      slowPath.execute(() -> {
        spin(JOB_NANOS);
        room.release();
      });
    }
  }

  private static boolean fast(View message, Output reply, Way way, long spinNanos) {
    boolean isLong = message.get(PATH) == 'l';
    if (way.handsOff(isLong)) {
      return Interruptlet.PASS;
    }
    if (isLong) {
      spin(spinNanos);
    }
    reply.put(REPLY);
    return Interruptlet.DONE;
  }

  private static void slow(byte[] message, OutputStream reply, long spinNanos) throws IOException {
    if (message[PATH] == 'l') {
      spin(spinNanos);
    }
    reply.write(REPLY);
  }

  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
