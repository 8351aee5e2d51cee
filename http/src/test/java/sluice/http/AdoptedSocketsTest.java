package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.loop.Backend;
import sluice.loop.Loop;
import sluice.loop.ServerConfig;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

/// Sockets that listened before the server started, as systemd passes them.
@Timeout(240)
class AdoptedSocketsTest {
  @TempDir Path directory = Path.of(".");

  private HttpConfig config(Backend backend, int loops, int fd) {
    ServerConfig of = ServerConfig.onLoopback("test", 0);
    ServerConfig server =
        new ServerConfig(
            "test",
            List.of(),
            List.of(fd),
            loops,
            backend,
            of.engine(),
            of.loop(),
            of.listen(),
            of.slowPath());
    return HttpConfig.of(server, Site.of(directory));
  }

  @ParameterizedTest
  @CsvSource({"IO_URING, 0", "EPOLL, 0", "POLL, 0", "IO_URING, 2048", "EPOLL, 2048"})
  void everyLoopAcceptsFromThem(Backend backend, int socketFlags) throws IOException {
    Files.writeString(directory.resolve("index.html"), "the site");
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    int type = Sockets.SOCK_STREAM | socketFlags;
    int fd = Sockets.socket(SocketAddresses.family(any), type, 0);
    Sockets.bind(fd, any);
    Sockets.listen(fd, 100);
    try (HttpServer server = HttpServer.start(config(backend, 3, fd), line -> {})) {
      assertThat(server.server().addresses()).hasSize(1);
      int port = server.server().port();
      long until = System.nanoTime() + 60_000_000_000L;
      while (!server.server().loops().stream().allMatch(AdoptedSocketsTest::accepted)
          && System.nanoTime() < until) {
        try (PlainClient first = new PlainClient(port);
            PlainClient second = new PlainClient(port)) {
          assertThat(first.get("/").text()).isEqualTo("the site");
          assertThat(second.get("/").text()).isEqualTo("the site");
        }
      }
      assertThat(server.server().loops()).allMatch(AdoptedSocketsTest::accepted);
      assertThat(server.drain(Duration.ofSeconds(60))).isTrue();
      assertThatThrownBy(() -> new PlainClient(port)).isInstanceOf(IOException.class);
    }
  }

  private static boolean accepted(Loop loop) {
    return loop.counters().accepted() > 0;
  }

  @Test
  void whatDoesNotListenIsRefused() throws IOException {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    try {
      assertThatThrownBy(() -> HttpServer.start(config(Backend.EPOLL, 1, fd), line -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Fix:");
    } finally {
      sluice.sys.Files.close(fd);
    }
  }
}
