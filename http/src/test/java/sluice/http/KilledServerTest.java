package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Await;

/// A server in a JVM of its own is killed while it replies: whatever its clients take for a whole
/// reply is one.
@Timeout(300)
class KilledServerTest {
  private static final int CLIENTS = 6;

  @TempDir Path root;

  /// Run by the other JVM: serves until it is killed.
  static final class Victim {
    private Victim() {}

    public static void main(String[] arguments) throws Exception {
      ServerConfig server =
          ServerConfig.onLoopback("victim", 0).withBackend(Backend.parse(arguments[1]));
      HttpConfig config = HttpConfig.of(server, Site.of(Path.of(arguments[0])));
      try (HttpServer http = HttpServer.start(config, _ -> {})) {
        System.out.println(http.server().port());
        http.server().awaitEnd();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll"})
  void noPartOfAReplyPassesForAll(String backend) throws Exception {
    byte[] large = HttpContractRig.pattern(30 << 20, 1);
    byte[] small = HttpContractRig.pattern(100_000, 2);
    Files.write(root.resolve("large.bin"), large);
    Files.write(root.resolve("small.bin"), small);
    Random random = new Random(9);
    for (int round = 0; round < 3; round++) {
      Process victim = start(backend);
      Await.limit(victim);
      Thread[] clients = new Thread[CLIENTS];
      int[] cut = new int[CLIENTS];
      try (BufferedReader out = victim.inputReader(StandardCharsets.US_ASCII)) {
        int port = Integer.parseInt(Objects.requireNonNull(out.readLine(), "it has ended"));
        for (int i = 0; i < CLIENTS; i++) {
          int number = i;
          boolean big = i % 2 == 0;
          byte[] content = big ? large : small;
          String request = HttpPeer.text("GET", big ? "/large.bin" : "/small.bin").repeat(4);
          clients[i] =
              Thread.ofPlatform().start(() -> cut[number] = readUntilCut(port, request, content));
        }
        Thread.sleep(200 + random.nextInt(200));
      } finally {
        victim.destroyForcibly();
      }
      assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
      for (Thread client : clients) {
        client.join();
      }
      assertThat(cut).containsOnly(1);
    }
  }

  private Process start(String backend) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx128m",
            "-cp",
            DeniedIoUringTest.classPath(),
            Victim.class.getName(),
            root.toString(),
            backend)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /// Asks again and again, and compares every reply that is whole.
  ///
  /// @return 1 when the connection broke off, 0 when a reply was wrong
  private static int readUntilCut(int port, String request, byte[] content) {
    try (HttpPeer peer = new HttpPeer(port)) {
      while (true) {
        peer.send(request);
        for (int i = 0; i < 4; i++) {
          HttpAnswer reply = peer.read();
          if (reply.status() != 200 || !Arrays.equals(reply.body(), content)) {
            return 0;
          }
        }
      }
    } catch (IOException e) {
      return 1;
    }
  }
}
