package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.HttpSlowHandler;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Await;

/// A slow handler that reads bodies while they come: plain and by TLS, whole and cut short.
@Timeout(240)
class StreamedBodiesTest {
  private static final int LENGTH = 5_000_000;

  @TempDir Path directory = Path.of(".");
  private final Queue<String> ends = new ConcurrentLinkedQueue<>();

  /// Sends back what it reads, or counts it.
  private final class Echo implements HttpSlowHandler {
    @Override
    public boolean streamsBodies() {
      return true;
    }

    @Override
    public void handle(HttpMessage request, HttpResponder responder) throws IOException {
      assertThat(request.body()).isEmpty();
      InputStream body = request.bodyStream();
      try {
        if (request.query() != null) {
          responder.send(body.readAllBytes().length + " bytes");
        } else {
          body.transferTo(responder.stream());
        }
        ends.add("whole");
      } catch (IOException e) {
        ends.add(e.getClass().getSimpleName());
        throw e;
      }
    }
  }

  private HttpServer start(ServerConfig config) throws IOException {
    Route route = Route.at("/up").withSlowHandler(new Echo());
    HttpConfig http = HttpConfig.of(config, Site.of(directory)).withRoutes(List.of(route));
    return HttpServer.start(http, line -> {});
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] requestHead(int length) {
    String head = "POST /up HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: ";
    return (head + length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /// The body of a reply in chunks, which ends with the connection.
  private static byte[] unchunked(byte[] reply) {
    String text = new String(reply, StandardCharsets.ISO_8859_1);
    assertThat(text).startsWith("HTTP/1.1 200").endsWith("\r\n0\r\n\r\n");
    byte[] body = new byte[reply.length];
    int used = 0;
    int at = text.indexOf("\r\n\r\n") + 4;
    while (true) {
      int lineEnd = text.indexOf("\r\n", at);
      int size = Integer.parseInt(text, at, lineEnd, 16);
      if (size == 0) {
        return Arrays.copyOf(body, used);
      }
      System.arraycopy(reply, lineEnd + 2, body, used, size);
      used += size;
      at = lineEnd + 2 + size + 2;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aBodyComesBackByTls(Backend backend) throws Exception {
    TestKeys keys = TestKeys.make(directory);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    ServerConfig config = ServerConfig.onLoopback("body", 0).withBackend(backend).withTls(tls);
    byte[] sent = bytes(LENGTH);
    CompletableFuture<byte[]> got = new CompletableFuture<>();
    try (HttpServer server = start(config);
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.server().port());
        SSLSocket socket = keys.secure(plain)) {
      plain.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      out.write(requestHead(LENGTH));
      Thread _ =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  got.complete(socket.getInputStream().readAllBytes());
                } catch (IOException e) {
                  got.completeExceptionally(e);
                }
              });
      out.write(sent);
      assertThat(unchunked(got.get(Await.SECONDS, TimeUnit.SECONDS))).isEqualTo(sent);
      assertThat(ends).containsExactly("whole");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "JDK"})
  void aClientThatEndsTooEarlyIsTold(Backend backend) throws Exception {
    try (HttpServer server = start(ServerConfig.onLoopback("body", 0).withBackend(backend));
        PlainClient client = new PlainClient(server.server().port())) {
      client.socket().setSoTimeout(60_000);
      client.send("POST /up?n HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
      client.socket().shutdownOutput();
      PlainClient.Reply reply = client.reply();
      assertThat(reply.status()).isEqualTo(400);
      assertThat(ends).containsExactly("BrokenBodyException");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void whatMayHaveBeenCutOffOnTheWayGetsNoAnswer(Backend backend) throws Exception {
    TestKeys keys = TestKeys.make(directory);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    ServerConfig config = ServerConfig.onLoopback("body", 0).withBackend(backend).withTls(tls);
    try (HttpServer server = start(config);
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.server().port());
        SSLSocket socket = keys.secure(plain)) {
      plain.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(
              "POST /up?n HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc"
                  .getBytes(StandardCharsets.US_ASCII));
      Thread.sleep(200);
      plain.shutdownOutput(); // a FIN, and no close_notify before it
      Await.until("the end", () -> !ends.isEmpty());
      assertThat(ends).containsExactly("ClientGoneException");
    }
  }

  @Test
  void aServerThatEndsFinishesWhatIsUnderWay() throws Exception {
    HttpServer server = start(ServerConfig.onLoopback("body", 0));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.server().port())) {
      client.setSoTimeout(60_000);
      client.getOutputStream().write(requestHead(200_000));
      client.getOutputStream().write(bytes(100_000));
      assertThat(client.getInputStream().readNBytes(20)).asString().startsWith("HTTP/1.1 200");
      Thread end = Thread.ofPlatform().start(() -> server.drain(Duration.ofSeconds(60)));
      Thread.sleep(200);
      client.getOutputStream().write(bytes(100_000));
      byte[] rest = client.getInputStream().readAllBytes();
      assertThat(rest.length).isGreaterThan(200_000);
      assertThat(Arrays.copyOfRange(rest, rest.length - 5, rest.length))
          .asString()
          .isEqualTo("0\r\n\r\n");
      end.join();
      assertThat(ends).containsExactly("whole");
    }
  }
}
