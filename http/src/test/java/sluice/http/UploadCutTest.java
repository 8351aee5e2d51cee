package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;

/// An upload that ends before its body does is never taken for a whole one.
@Timeout(120)
class UploadCutTest {
  private static final List<String> CUT =
      List.of(
          "POST /up HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n",
          "POST /up HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc",
          "POST /up HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
          "POST /up HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n");

  @TempDir Path directory = Path.of(".");
  private final AtomicInteger calls = new AtomicInteger();

  private HttpServer start(ServerConfig config) throws IOException {
    Route route =
        Route.at("/up")
            .withSlowHandler((message, responder) -> {
              calls.incrementAndGet();
              responder.send("whole: " + message.body().length);
            });
    HttpConfig http = HttpConfig.of(config, Site.of(directory)).withRoutes(List.of(route));
    return HttpServer.start(http, line -> {});
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aClientThatEndsTooEarlyIsTold(Backend backend) throws IOException {
    try (HttpServer server = start(ServerConfig.onLoopback("cut", 0).withBackend(backend))) {
      for (String request : CUT) {
        try (PlainClient client = new PlainClient(server.server().port())) {
          client.socket().setSoTimeout(60_000);
          client.send(request);
          client.socket().shutdownOutput();
          PlainClient.Reply reply = client.reply();
          assertThat(reply.status()).as(request).isEqualTo(400);
          assertThat(reply.field("Connection")).isEqualTo("close");
        }
      }
      assertThat(calls).hasValue(0);
      try (PlainClient client = new PlainClient(server.server().port())) {
        client.send(CUT.get(1) + "defghij");
        client.socket().shutdownOutput();
        assertThat(client.reply().text()).isEqualTo("whole: 10");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void whatMayHaveBeenCutOffOnTheWayGetsNoAnswer(Backend backend) throws Exception {
    TestKeys keys = TestKeys.make(directory);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    ServerConfig config = ServerConfig.onLoopback("cut", 0).withBackend(backend).withTls(tls);
    try (HttpServer server = start(config)) {
      for (String request : CUT) {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.server().port());
            SSLSocket socket = keys.secure(plain)) {
          plain.setSoTimeout(60_000);
          socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
          plain.shutdownOutput(); // a FIN, and no close_notify before it
          assertThat(answer(socket)).as(request).isEqualTo(-1);
        }
      }
      assertThat(calls).hasValue(0);
    }
  }

  /// @return the first byte of an answer, or -1 for none, however the connection ended
  private static int answer(SSLSocket socket) throws IOException {
    try {
      return socket.getInputStream().read();
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return -1; // reset
    }
  }
}
