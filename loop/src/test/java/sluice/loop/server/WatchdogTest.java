package sluice.loop.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Connection;
import sluice.loop.HandlerGuard;
import sluice.loop.Protocol;
import sluice.loop.RunningHandler;
import sluice.loop.engine.Backend;
import sluice.memory.View;
import sluice.testbase.Await;

/// A trusted handler that runs too long is seen while it runs, told with its stack, and not called
/// again.
@Timeout(240)
class WatchdogTest {
  private static final long LIMIT_NANOS = 500_000_000;

  /// Answers each byte with whether the handler is disabled; a byte 1 makes it overrun first.
  private static final class Guarded implements Protocol {
    private final HandlerGuard guard;
    private final CompletableFuture<Server> server = new CompletableFuture<>();
    private final CompletableFuture<RunningHandler> running = new CompletableFuture<>();
    private final AtomicLong longestNanos = new AtomicLong();

    Guarded(HandlerGuard guard) {
      this.guard = guard;
    }

    @Override
    public int received(Connection connection, View input) {
      if (guard.disabled()) {
        connection.output().put((byte) 'd');
        return input.length();
      }
      long start = System.nanoTime();
      guard.enter(running.join());
      try {
        if (input.get(0) == 1) {
          holdUpTheLoop(server.join().watchdog());
        }
        connection.output().put((byte) 'r');
      } finally {
        guard.exit(running.join());
        longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
      }
      return input.length();
    }

    /// Whether a run took longer than the limit, and be it that the machine held the thread up.
    boolean overran() {
      return longestNanos.get() > LIMIT_NANOS;
    }

    private static void holdUpTheLoop(Watchdog watchdog) {
      long before = watchdog.overruns();
      Await await = new Await();
      while (watchdog.overruns() == before) {
        await.check("an overrun");
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static byte ask(Socket socket, int question) throws IOException {
    socket.getOutputStream().write(question);
    InputStream input = socket.getInputStream();
    return (byte) input.read();
  }

  private static Server start(Guarded protocol) throws IOException {
    Server server =
        Server.start(
            ServerConfig.onLoopback("watched", 0).withBackend(Backend.JDK),
            loop -> {
              protocol.running.complete(loop.handler());
              return protocol;
            });
    protocol.server.complete(server);
    return server;
  }

  private static Socket dial(Server server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  @Test
  void overrunIsReportedAndTheHandlerDisabled() throws Exception {
    BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
    HandlerGuard guard = new HandlerGuard("sleepy", LIMIT_NANOS);
    try (RecordingStream stream = new RecordingStream();
        Server server = start(new Guarded(guard));
        Socket socket = dial(server)) {
      stream.enable("sluice.HandlerOverrun");
      stream.onEvent("sluice.HandlerOverrun", events::add);
      stream.setReuse(false);
      stream.startAsync();
      assertThat(server.watchdog().healthy()).isTrue();
      assertThat(ask(socket, 1)).isEqualTo((byte) 'r');
      assertThat(guard.disabled()).isTrue();
      assertThat(server.watchdog().healthy()).isFalse();
      assertThat(server.watchdog().overruns()).isEqualTo(1);
      assertThat(ask(socket, 1)).isEqualTo((byte) 'd');
      assertThat(server.watchdog().overruns()).isEqualTo(1);
      RecordedEvent event = events.poll(60, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      if (event != null) {
        assertThat(event.getString("handler")).isEqualTo("sleepy");
        assertThat(event.getString("loop")).isEqualTo("watched-loop-0");
        assertThat(event.getDuration("limitNanos")).isEqualTo(Duration.ofNanos(LIMIT_NANOS));
        assertThat(event.getString("stack")).contains("holdUpTheLoop");
      }
    }
  }

  /// Many short runs are no long one, and one handler's overrun is not another's.
  @Test
  void othersGoOn() throws Exception {
    HandlerGuard sleepy = new HandlerGuard("sleepy", LIMIT_NANOS);
    HandlerGuard brisk = new HandlerGuard("brisk", LIMIT_NANOS);
    Guarded shortRuns = new Guarded(brisk);
    try (Server first = start(new Guarded(sleepy));
        Server second = start(shortRuns);
        Socket slow = dial(first);
        Socket fast = dial(second)) {
      long end = System.nanoTime() + 2 * LIMIT_NANOS;
      while (System.nanoTime() - end < 0) {
        byte answer = ask(fast, 0);
        assertThat(answer == 'r' || shortRuns.overran()).as("answered %s", answer).isTrue();
      }
      ask(slow, 1);
      assertThat(sleepy.disabled()).isTrue();
      assertThat(!brisk.disabled() || shortRuns.overran()).isTrue();
      assertThat(second.watchdog().healthy() || shortRuns.overran()).isTrue();
      assertThat(first.watchdog().healthy()).isFalse();
      sleepy.enable();
      assertThat(sleepy.disabled()).isFalse();
      assertThat(ask(slow, 1)).isEqualTo((byte) 'r');
      assertThat(sleepy.disabled()).isTrue();
      assertThat(first.watchdog().overruns()).isEqualTo(2);
      assertThat(first.watchdog().healthy()).isFalse();
    }
  }

  @Test
  void limitsBelowWhatCanBeSeenAreRefused() {
    assertThatThrownBy(() -> new HandlerGuard("hasty", 999_999))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1000000");
  }
}
