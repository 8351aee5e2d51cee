package sluice.cli.compare;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.host.file.UsageException;
import sluice.testbase.Await;

/// Tests the load generator of a comparison against the JDK's own HTTP server.
@Timeout(600)
final class OpenLoopLoadTest {
  @TempDir Path directory;
  private final AtomicInteger asked = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void aServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/fixed", 200, 5);
    answer("/chunked", 200, 0);
    answer("/empty", 204, -1);
    answer("/gone", 404, -1);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /// Adds a path with a fixed reply.
  ///
  /// @param length the length as `sendResponseHeaders` takes it: 0 for chunked, -1 for no body
  private void answer(String path, int status, long length) {
    server.createContext(
        path,
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(status, length);
          if (length >= 0) {
            exchange.getResponseBody().write(new byte[5]);
          }
          exchange.close();
        });
  }

  private OpenLoopLoad load(String... paths) throws Exception {
    StringBuilder list = new StringBuilder("# what to ask for\n\n");
    for (String path : paths) {
      list.append("http://localhost:").append(server.getAddress().getPort()).append(path);
      list.append('\n');
    }
    return OpenLoopLoad.read(Files.writeString(directory.resolve("urls"), list), 200, 4);
  }

  @Test
  void sendsAsManyAsTheRateAsksFor() throws Exception {
    LoadSource.Outcome outcome = load("/fixed", "/chunked", "/empty").run(0.5);
    assertThat(outcome.requests()).isEqualTo(100);
    assertThat(outcome.failed()).isZero();
    assertThat(asked).hasValue(100);
    assertThat(outcome.answers().values())
        .containsExactly(
            "200 with 5 bytes, CRC c622f71d",
            "200 with 5 bytes, CRC c622f71d",
            "204 with 0 bytes, CRC 00000000");
    assertThat(outcome.p50()).isPositive().isLessThanOrEqualTo(outcome.p99());
    assertThat(outcome.p99()).isLessThanOrEqualTo(outcome.p999());
  }

  /// Reads a reply without a length to the end of its connection, however long that takes.
  @Test
  void waitsForTheEndOfAnAnswerWithoutLength() throws Exception {
    int rest = 200_000;
    AtomicInteger whole = new AtomicInteger();
    try (ServerSocket old = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread answering =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try (Socket one = old.accept()) {
                  one.getInputStream().read(new byte[1000]);
                  one.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(US_ASCII));
                  for (int i = 0; i < 10; i++) {
                    Thread.sleep(20);
                    one.getOutputStream().write(new byte[rest / 10]);
                  }
                  whole.incrementAndGet();
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      URI url = URI.create("http://localhost:" + old.getLocalPort() + "/");
      OpenLoopLoad load = new OpenLoopLoad(List.of(url), 1, 1);
      LoadSource.Outcome outcome = load.run(1);
      Await.end(answering);
      assertThat(outcome.requests()).isEqualTo(1);
      assertThat(outcome.p50()).isGreaterThan(10 * 20_000 * 0.9);
      assertThat(whole).hasValue(1);
    }
  }

  @Test
  void tellsPagesThatAreNotAlwaysTheSame() throws Exception {
    server.createContext(
        "/count",
        exchange -> {
          byte[] body = "number %03d".formatted(asked.incrementAndGet()).getBytes(US_ASCII);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    assertThat(load("/count", "/gone").run(0.2).answers().values())
        .containsExactly(ResponseLog.VARYING, "404 with 0 bytes, CRC 00000000");
  }

  /// Tests an HTTP/1.0 server, which closes the connection after each reply with or without saying
  /// so.
  @Test
  void asksAServerOfHttp10OncePerConnection() throws Exception {
    try (ServerSocket old = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread answering =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                for (int i = 0; i < 6; i++) {
                  try (Socket one = old.accept()) {
                    one.getInputStream().read(new byte[1000]);
                    one.getOutputStream()
                        .write("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(US_ASCII));
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                }
              });
      URI url = URI.create("http://localhost:" + old.getLocalPort() + "/");
      LoadSource.Outcome outcome = new OpenLoopLoad(List.of(url), 6, 1).run(1);
      Await.end(answering);
      assertThat(outcome.failed()).isZero();
      assertThat(outcome.requests()).isEqualTo(6);
    }
  }

  @Test
  void countsWhatFails() throws Exception {
    LoadSource.Outcome outcome = load("/fixed", "/gone").run(0.1);
    assertThat(outcome.requests()).isEqualTo(10);
    assertThat(outcome.failed()).isEqualTo(10);
    server.stop(0);
    assertThat(load("/fixed").run(0.1).failed()).isEqualTo(20);
    assertThat(load("/fixed").run(0.1).p99()).isNaN();
  }

  @Test
  void refusesListsItCannotUse() throws Exception {
    Path list = directory.resolve("list");
    for (String text :
        new String[] {"", "# nothing\n", "https://localhost/", "/path", "http:// x"}) {
      Files.writeString(list, text);
      assertThatThrownBy(() -> OpenLoopLoad.read(list, 1, 1))
          .as(text)
          .isInstanceOf(UsageException.class)
          .hasMessageContaining(list.toString());
    }
  }

  @Test
  void percentilesAreValuesThatOccurred() {
    long[] sorted = {1_000, 2_000, 3_000, 4_000};
    assertThat(OpenLoopLoad.percentileMicros(sorted, 0.5)).isEqualTo(2);
    assertThat(OpenLoopLoad.percentileMicros(sorted, 0.99)).isEqualTo(4);
  }
}
