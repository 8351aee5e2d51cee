package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.server.ServerConfig;

/// A server of 5 000 hosts that serve one directory.
@Timeout(300)
class ManyHostsTest {
  private static final int HOSTS = 5_000;
  private static final int ASKED = 200;

  @TempDir Path directory;

  private static long inotifyInstances() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(ManyHostsTest::isInotify).count();
    }
  }

  private static boolean isInotify(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().contains("inotify");
    } catch (IOException closed) {
      return false;
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  @Test
  void aChangeIsSeenByAllHosts() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/fd")), "needs /proc");
    Files.writeString(directory.resolve("f.txt"), "before");
    List<VirtualHost> hosts = new ArrayList<>();
    for (int i = 0; i < HOSTS; i++) {
      hosts.add(
          new VirtualHost(List.of("host" + i + ".example"), Site.of(directory), SiteRules.NONE));
    }
    long instances = inotifyInstances();
    long descriptors = descriptors();
    HttpConfig config =
        HttpConfig.of(ServerConfig.onLoopback("many", 0).withLoops(2), Site.of(directory))
            .withHosts(hosts, true);
    try (HttpServer server = HttpServer.start(config, line -> {})) {
      assertThat(inotifyInstances() - instances).isEqualTo(1);
      assertThat(descriptors() - descriptors).isLessThan(100);
      for (String content : List.of("before", "after!")) {
        Files.writeString(directory.resolve("f.txt"), content);
        for (int i = 0; i < HOSTS; i += HOSTS / ASKED) {
          assertThat(get(server.server().port(), "host" + i + ".example")).endsWith(content);
        }
      }
    }
    assertThat(inotifyInstances()).isEqualTo(instances);
  }

  private static String get(int port, String host) throws IOException {
    try (PlainClient client = new PlainClient(port)) {
      String request = "GET /f.txt HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      client.send(request.getBytes(StandardCharsets.US_ASCII));
      return new String(client.socket().getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
