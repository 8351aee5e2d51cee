package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The load that a comparison sends, against the JDK's own server.
@Timeout(120)
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

  /// @param length as the server takes it: 0 means chunked, -1 no body
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
    assertThat(outcome.p50()).isPositive().isLessThanOrEqualTo(outcome.p99());
    assertThat(outcome.p99()).isLessThanOrEqualTo(outcome.p999());
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
