package sluice.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.engine.Backend;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;
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
            List.of(new AdoptedSocket(fd, null)),
            loops,
            backend,
            of.engine(),
            of.loop(),
            of.listen(),
            null,
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

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void eachSocketIsAnsweredAsItsUseAsksFor(Backend backend) throws Exception {
    Files.writeString(directory.resolve("index.html"), "the site");
    TestKeys keys = TestKeys.make(Files.createDirectory(directory.resolve(".keys")));
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    List<AdoptedSocket> site =
        List.of(new AdoptedSocket(listening(), null), new AdoptedSocket(listening(), tls));
    Monitoring monitoring = new Monitoring(List.of(), List.of(listening()));
    ServerConfig config =
        ServerConfig.onLoopback("test", 0).withBackend(backend).withLoops(2).withAdopted(site);
    HttpConfig http = HttpConfig.of(config, Site.of(directory)).withMonitoring(monitoring);
    try (HttpServer server = HttpServer.start(http, line -> {})) {
      assertThat(List.of(server.scheme(0), server.scheme(1), server.scheme(2)))
          .containsExactly("http", "http", "https");
      try (PlainClient client = new PlainClient(port(server.server().addresses().get(1)))) {
        assertThat(client.get("/").text()).isEqualTo("the site");
        assertThat(client.get("/healthz").status()).isEqualTo(404);
      }
      int secure = port(server.server().addresses().get(2));
      try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), secure);
          SSLSocket socket = keys.secure(plain)) {
        plain.setSoTimeout(60_000);
        socket
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
        assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
            .startsWith("HTTP/1.1 200 ")
            .endsWith("the site");
      }
      try (PlainClient client = new PlainClient(port(server.monitoringAddresses().getFirst()))) {
        assertThat(client.get("/healthz").text()).isEqualTo("ok\n");
      }
      try (PlainClient client = new PlainClient(port(server.monitoringAddresses().getFirst()))) {
        assertThat(client.get("/").status()).isEqualTo(404);
      }
    }
  }

  private static int listening() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    int fd = Sockets.socket(SocketAddresses.family(any), Sockets.SOCK_STREAM, 0);
    Sockets.bind(fd, any);
    Sockets.listen(fd, 100);
    return fd;
  }

  private static int port(SocketAddress address) {
    return ((InetSocketAddress) address).getPort();
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
