package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import sluice.host.file.UsageException;
import sluice.host.life.PassedSocket;
import sluice.http.HttpConfig;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.HandlerThreads;

final class ServeOptionsTest {
  @Test
  void defaultsServeThisMachineOnly() throws Exception {
    HttpConfig config = ServeOptions.parse(List.of("dir")).site.config(List.of());
    assertThat(config.site()).isEqualTo(Site.of(Path.of("dir")));
    assertThat(config.server().backend()).isEqualTo(Backend.AUTO);
    InetSocketAddress address = (InetSocketAddress) config.server().addresses().get(0);
    assertThat(address.getAddress().isLoopbackAddress()).isTrue();
    assertThat(address.getPort()).isEqualTo(8080);
    assertThat(config.accessLog()).isNull();
  }

  @Test
  void takesEveryOption() throws Exception {
    ServeOptions options =
        ServeOptions.parse(
            List.of(
                "--port=0",
                "--host",
                "0.0.0.0",
                "--backend",
                "epoll",
                "--loops",
                "2",
                "--max-connections",
                "9",
                "--cache-mb",
                "3",
                "--index",
                "a.html,b.html",
                "--listing",
                "--hidden",
                "--handlers",
                "loop",
                "--symlinks",
                "refuse",
                "--gzip",
                "0",
                "dir",
                "--no-precompressed",
                "--error-page",
                "404=404.html",
                "--error-page",
                "500=5.html",
                "--cache-control",
                "no-cache",
                "--access-log",
                "log",
                "--header-timeout",
                "1",
                "--idle-timeout",
                "2",
                "--send-timeout",
                "4",
                "--drain-timeout",
                "3",
                "--etag=content",
                "--revalidate"));
    HttpConfig config = options.site.config(List.of());
    assertThat(config.server().backend()).isEqualTo(Backend.EPOLL);
    assertThat(config.server().loops()).isEqualTo(2);
    assertThat(config.server().loop().maxConnections()).isEqualTo(9);
    assertThat(config.server().loop().writeTimeoutNanos()).isEqualTo(4_000_000_000L);
    assertThat(config.cacheBytes()).isEqualTo(3 << 20);
    assertThat(config.site().indexNames()).containsExactly("a.html", "b.html");
    assertThat(config.site().listing()).isTrue();
    assertThat(config.site().hiddenFiles()).isTrue();
    assertThat(config.site().symlinks()).isEqualTo(Site.Symlinks.REFUSE);
    assertThat(config.server().handlers()).isEqualTo(HandlerThreads.LOOP);
    assertThat(config.site().compression().gzipLevel()).isZero();
    assertThat(config.site().precompressed()).isFalse();
    assertThat(config.site().tags()).isEqualTo(Site.Tags.CONTENT);
    assertThat(config.watches()).isZero();
    assertThat(config.site().errorPages()).hasSize(2).containsEntry(404, "404.html");
    assertThat(config.cacheControl()).isEqualTo("no-cache");
    assertThat(config.accessLog()).isEqualTo(Path.of("log"));
    assertThat(config.headerTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.idleTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.site.drainTimeout()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void everyOptionOfTheUsageIsUnderstood() {
    List<String> names =
        Pattern.compile("(?m)^  +(--[a-z-]+)")
            .matcher(ServeOptions.USAGE)
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(names).hasSize(41);
    for (String name : names) {
      // An option may at most refuse its value.
      try {
        ServeOptions.parse(List.of("dir", name, "?"));
      } catch (UsageException e) {
        assertThat(e).message().doesNotContain("unknown option");
      }
    }
  }

  @Test
  void saysWhatIsWrong() {
    Stream.of(
            List.of("no directory is named"),
            List.of("second one: b", "a", "b"),
            List.of("unknown option: --prot", "a", "--prot", "1"),
            List.of("unknown option: --prot", "a", "--prot=1"),
            List.of("--port needs a value", "a", "--port"),
            List.of("0 to 65535: 65536", "a", "--port", "65536"),
            List.of("0 to 65535: x", "a", "--port", "x"),
            List.of("--listing takes no value", "a", "--listing=yes"),
            List.of("no backend 'kqueue'", "a", "--backend", "kqueue"),
            List.of("virtual or loop: no", "a", "--handlers", "no"),
            List.of("refuse, inside or follow: no", "a", "--symlinks", "no"),
            List.of("given together", "a", "--tls-cert", "b"),
            List.of("CODE=FILE", "a", "--error-page", "404"),
            List.of("400 to 599: 200", "a", "--error-page", "200=x"),
            List.of("a file name is empty", ""),
            List.of("a file name is empty", "a", "--access-log", ""),
            List.of("index takes names of files: x/y: an index name", "a", "--index", "x/y"),
            List.of("index takes names of files: ../x", "a", "--index", "../x"))
        .forEach(each ->
            assertThatThrownBy(() -> configure(each.subList(1, each.size())))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(each.get(0)));
  }

  @Test
  void passedSocketsAreUsedAsTheirNamesSay() throws Exception {
    PassedSocket web = new PassedSocket(3, PassedSocket.Use.HTTP);
    PassedSocket metrics = new PassedSocket(4, PassedSocket.Use.MONITORING);
    HttpConfig both = ServeOptions.parse(List.of("dir")).site.config(List.of(web, metrics));
    assertThat(both.server().addresses()).isEmpty();
    assertThat(both.server().adopted()).containsExactly(new AdoptedSocket(3, null));
    assertThat(both.monitoring().adoptedFds()).containsExactly(4);
    HttpConfig beside = ServeOptions.parse(List.of("dir")).site.config(List.of(metrics));
    assertThat(beside.server().addresses()).hasSize(1);
    assertThat(beside.server().adopted()).isEmpty();
    PassedSocket secure = new PassedSocket(5, PassedSocket.Use.HTTPS);
    assertThatThrownBy(() -> ServeOptions.parse(List.of("dir")).site.config(List.of(secure)))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("socket 5 is named https: give --tls-cert and --tls-key");
  }

  private static void configure(List<String> words) throws Exception {
    ServeOptions.parse(words).site.config(List.of());
  }

  @Test
  void helpNeedsNoDirectory() throws Exception {
    assertThat(ServeOptions.parse(List.of("--help")).help).isTrue();
  }
}
