package sluice.host.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.engine.Backend;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.sys.AbstractUnixAddress;
import sluice.testkit.machine.NotifySocket;

@Timeout(600)
final class ServiceManagerTest {
  private static final long PID = 42;

  @TempDir Path directory = Path.of(".");
  private final List<String> complaints = new ArrayList<>();

  /// A part that is stuck if a loop of its server is.
  private record Turning(Server server) implements Part {
    @Override
    public String name() {
      return "test";
    }

    @Override
    public String describe() {
      return "test";
    }

    @Override
    public List<String> stuck(Duration within) throws InterruptedException {
      return server.stuckLoops(within);
    }

    @Override
    public void drain(String why, Duration atMost, Consumer<String> told) {}

    @Override
    public boolean awaitEnd() {
      return true;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private ServiceManager manager(Map<String, String> environment) {
    return new ServiceManager(environment, PID, complaints::add);
  }

  @Test
  void socketsArePassedToTheProcessThatIsMeant() throws IOException {
    ServiceManager passed =
        manager(Map.of("LISTEN_FDS", "3", "LISTEN_PID", "42", "LISTEN_FDNAMES", "https:"));
    assertThat(passed.listeners())
        .containsExactly(
            new PassedSocket(3, PassedSocket.Use.HTTPS),
            new PassedSocket(4, PassedSocket.Use.SITE),
            new PassedSocket(5, PassedSocket.Use.SITE));
    assertThat(manager(Map.of("LISTEN_FDS", "1", "LISTEN_PID", "41")).listeners()).isEmpty();
    assertThat(manager(Map.of("LISTEN_FDS", "1")).listeners()).isEmpty();
    assertThat(manager(Map.of()).listeners()).isEmpty();
    assertThatThrownBy(() -> manager(Map.of("LISTEN_FDS", "-1", "LISTEN_PID", "42")).listeners())
        .hasMessageContaining("LISTEN_FDS")
        .hasMessageContaining("Fix:");
  }

  @Test
  void theNameOfASocketTellsItsUse() throws IOException {
    String names = "http:https:monitoring:metrics:unknown:sluice.socket";
    ServiceManager named =
        manager(Map.of("LISTEN_FDS", "6", "LISTEN_PID", "42", "LISTEN_FDNAMES", names));
    assertThat(named.listeners())
        .extracting(PassedSocket::use)
        .containsExactly(
            PassedSocket.Use.HTTP,
            PassedSocket.Use.HTTPS,
            PassedSocket.Use.MONITORING,
            PassedSocket.Use.MONITORING,
            PassedSocket.Use.SITE,
            PassedSocket.Use.SITE);
    ServiceManager mistyped =
        manager(Map.of("LISTEN_FDS", "1", "LISTEN_PID", "42", "LISTEN_FDNAMES", "htpps"));
    assertThatThrownBy(mistyped::listeners)
        .hasMessageContaining("socket 3 is named 'htpps'")
        .hasMessageContaining("Why:")
        .hasMessageContaining("Fix: FileDescriptorName=http, https or monitoring");
  }

  @Test
  void messagesReachTheSocketOfEitherKind() throws Exception {
    Path file = directory.resolve("notify");
    String name = "sluice-test-" + ProcessHandle.current().pid();
    try (NotifySocket path = new NotifySocket(UnixDomainSocketAddress.of(file));
        NotifySocket hidden = new NotifySocket(new AbstractUnixAddress(name))) {
      ServiceManager onPath = manager(Map.of("NOTIFY_SOCKET", file.toString()));
      onPath.ready("on\nport 1");
      assertThat(path.next(60)).isEqualTo("READY=1\nSTATUS=on port 1");
      onPath.reloading();
      assertThat(path.next(60)).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+");
      ServiceManager abstractly = manager(Map.of("NOTIFY_SOCKET", "@" + name));
      abstractly.status("é");
      assertThat(hidden.next(60)).isEqualTo("STATUS=é");
      abstractly.stopping("draining");
      assertThat(hidden.next(60)).isEqualTo("STOPPING=1\nSTATUS=draining");
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void aManagerThatCannotBeReachedIsReportedOnce() {
    ServiceManager gone = manager(Map.of("NOTIFY_SOCKET", directory.resolve("none").toString()));
    gone.ready("");
    gone.status("");
    assertThat(complaints).hasSize(1);
    assertThat(complaints.getFirst()).contains("ENOENT").contains("Fix:");
    manager(Map.of()).ready("nobody listens");
    manager(Map.of("NOTIFY_SOCKET", "vsock:2:1")).ready("not spoken here");
    manager(Map.of("NOTIFY_SOCKET", "/" + "x".repeat(200))).ready("too long");
    assertThat(complaints).hasSize(2);
  }

  @Test
  void theWatchdogHearsOfLoopsThatTurn() throws Exception {
    assertThat(manager(Map.of("WATCHDOG_USEC", "7")).watchdogInterval())
        .isEqualTo(Duration.ofNanos(7_000));
    assertThat(manager(Map.of("WATCHDOG_USEC", "7", "WATCHDOG_PID", "1")).watchdogInterval())
        .isNull();
    assertThat(manager(Map.of("WATCHDOG_USEC", "soon")).watchdogInterval()).isNull();
    Path file = directory.resolve("notify");
    CountDownLatch released = new CountDownLatch(1);
    ServerConfig config = ServerConfig.onLoopback("test", 0).withBackend(Backend.EPOLL);
    try (NotifySocket socket = new NotifySocket(UnixDomainSocketAddress.of(file));
        Server server = Server.start(config, loop -> (connection, input) -> 0)) {
      ServiceManager watched =
          manager(Map.of("NOTIFY_SOCKET", file.toString(), "WATCHDOG_USEC", "100000"));
      watched.watch(List.of(new Turning(server)));
      assertThat(socket.next(60)).isEqualTo("WATCHDOG=1");
      assertThat(socket.next(60)).isEqualTo("WATCHDOG=1");
      CountDownLatch blocked = new CountDownLatch(1);
      server
          .loops()
          .getFirst()
          .execute(() -> {
            blocked.countDown();
            block(released);
          });
      assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
      int before = 0;
      while (!socket.next(2).isEmpty()) { // messages sent before
        before++;
        assertThat(before).as("messages while no loop turns").isLessThan(100);
      }
      watched.stopping("");
      String message = socket.next(60);
      if (message.equals("WATCHDOG=1")) { // from a thread that checked the loops before
        message = socket.next(60);
      }
      assertThat(message).startsWith("STOPPING=1");
      released.countDown();
    }
  }

  private static void block(CountDownLatch released) {
    try {
      boolean _ = released.await(100, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
