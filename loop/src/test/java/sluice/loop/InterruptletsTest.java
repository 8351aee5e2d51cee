package sluice.loop;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.loop.server.Watchdog;
import sluice.testbase.Await;

/// Interruptlets of a whole server, its watchdog and real virtual threads. What holds for every
/// engine is in the contract of the module testkit.
@Timeout(120)
class InterruptletsTest {
  /// Of handlers that overrun it. What ends at once may overrun it too, where the machine holds the
  /// thread up.
  private static final Duration LIMIT = Duration.ofMillis(500);

  private static final int LARGE_BYTES = 32 << 20;

  private static Server start(Backend backend, int loops, Interruptlets socket) throws IOException {
    ServerConfig config =
        ServerConfig.onLoopback("interruptlets", 0).withBackend(backend).withLoops(loops);
    return Server.start(config, socket::protocol);
  }

  private static Socket dial(Server server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static String ask(Socket socket, String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(ISO_8859_1));
    StringBuilder reply = new StringBuilder();
    int next = socket.getInputStream().read();
    while (next >= 0 && next != '\n') {
      reply.append((char) next);
      next = socket.getInputStream().read();
    }
    return reply.toString();
  }

  private static void slow(byte[] message, OutputStream reply) throws IOException {
    reply.write("slow ".getBytes(ISO_8859_1));
    reply.write(message);
  }

  /// Sleeps on `z` until it is seen to overrun.
  private static Interruptlet sleepy(CompletableFuture<Server> started) {
    return answering(() -> {
      Watchdog watchdog = started.join().watchdog();
      long before = watchdog.overruns();
      Await await = new Await();
      while (watchdog.overruns() == before) {
        await.check("an overrun");
        LockSupport.parkNanos(1_000_000);
      }
    });
  }

  /// Sleeps on `z` for longer than the limit of [#sleepy].
  private static Interruptlet late() {
    return answering(() -> {
      long end = System.nanoTime() + 2 * LIMIT.toNanos();
      while (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(1_000_000);
      }
    });
  }

  private static Interruptlet answering(Runnable sleep) {
    return (message, reply) -> {
      if (message.get(0) == 'z') {
        sleep.run();
      }
      reply.put("fast ".getBytes(ISO_8859_1));
      reply.append(message, 0, message.length());
      return Interruptlet.DONE;
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTO", "EPOLL", "JDK"})
  void aHandlerThatOverrunsIsDisabledAndTheSlowPathAnswers(Backend backend) throws IOException {
    Interruptlets socket = new Interruptlets(Framing.LINES, InterruptletsTest::slow);
    CompletableFuture<Server> started = new CompletableFuture<>();
    HandlerGuard patient = socket.admit("patient", () -> sleepy(started), Duration.ofDays(1));
    try (Server server = start(backend, 1, socket);
        Socket client = dial(server)) {
      started.complete(server);
      assertThat(ask(client, "a")).isEqualTo("fast a");
      assertThat(patient.disabled()).isFalse();
      assertThat(server.watchdog().healthy()).isTrue();
      HandlerGuard guard = socket.admit("sleepy", () -> sleepy(started), LIMIT);
      assertThat(ask(client, "z")).isEqualTo("fast z");
      assertThat(guard.disabled()).isTrue();
      assertThat(server.watchdog().healthy()).isFalse();
      assertThat(ask(client, "b")).isEqualTo("slow b");
      guard.enable();
      assertThat(ask(client, "c")).isEqualTo("fast c");
      HandlerGuard next = socket.admit("late", InterruptletsTest::late, Duration.ofDays(1));
      assertThat(ask(client, "z")).isEqualTo("fast z");
      assertThat(next.disabled()).isFalse();
    }
    assertThat(socket.answered()).isEqualTo(4);
    assertThat(socket.passed()).isEqualTo(1);
  }

  /// A reply of any length, whose writer waits for its reader.
  @ParameterizedTest
  @EnumSource(names = {"AUTO", "EPOLL", "JDK"})
  void longSlowRepliesAreHeldBackByTheirReader(Backend backend) throws IOException {
    byte[] block = new byte[100_000];
    Interruptlets socket =
        new Interruptlets(
            Framing.LINES,
            (message, reply) -> {
              for (int left = LARGE_BYTES; left > 0; left -= block.length) {
                reply.write(block, 0, Math.min(left, block.length));
              }
            });
    try (Server server = start(backend, 1, socket);
        Socket client = dial(server)) {
      client.getOutputStream().write("all of it\nand again\n".getBytes(ISO_8859_1));
      assertThat(client.getInputStream().readNBytes(2 * LARGE_BYTES)).hasSize(2 * LARGE_BYTES);
    }
    assertThat(socket.sentBytes()).isEqualTo(2L * LARGE_BYTES);
  }

  /// A handler that writes to a client that has gone is told so.
  @Test
  void slowHandlerHearsThatItsClientHasGone() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Interruptlets socket =
        new Interruptlets(
            Framing.LINES,
            (message, reply) -> {
              try {
                while (true) {
                  reply.write(new byte[100_000]);
                }
              } catch (IOException e) {
                told.complete(e);
                throw e;
              }
            });
    try (Server server = start(Backend.AUTO, 1, socket)) {
      try (Socket client = dial(server)) {
        client.setSoLinger(true, 0);
        client.getOutputStream().write('\n');
        assertThat(client.getInputStream().read()).isZero();
      }
      assertThat(told.get(60, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
    }
  }

  /// Each loop has an interruptlet of its own, made on its thread.
  @Test
  void oneInterruptletForEachLoop() throws IOException {
    Interruptlets socket = new Interruptlets(Framing.LINES, InterruptletsTest::slow);
    socket.admit(
        "names",
        () -> {
          String made = Thread.currentThread().getName();
          return (message, reply) -> {
            String asked = Thread.currentThread().getName();
            reply.put((made.equals(asked) + "\n").getBytes(ISO_8859_1));
            return Interruptlet.DONE;
          };
        },
        Duration.ofSeconds(30));
    try (Server server = start(Backend.AUTO, 3, socket)) {
      for (int i = 0; i < 20; i++) {
        try (Socket client = dial(server)) {
          assertThat(ask(client, "who")).isEqualTo("true");
        }
      }
    }
    assertThat(socket.answered()).isEqualTo(20);
  }

  @Test
  void senselessLimitsAreRefused() {
    assertThatThrownBy(
            () -> new Interruptlets(Framing.NONE, InterruptletsTest::slow, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idle");
    assertThatThrownBy(() -> Framing.fixed(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes");
  }
}
