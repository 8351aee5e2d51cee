package sluice.cli.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.FreePort;

/// Tests the search for URLs of real applications, which the test starts.
@Timeout(240)
final class UrlSearchTest {
  private static final String APPLICATION =
      """
      import com.sun.net.httpserver.HttpServer;
      import java.net.InetSocketAddress;
      import java.net.ServerSocket;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.nio.file.StandardOpenOption;

      public class Pages {
        static final String HOME = "<img src=/a.png><script SRC='b.js?x=1&amp;y=2#f'></script>"
            + "<link rel=stylesheet href=\\"/s/c.css\\"><link href='/a.css'><img src='/gone.png'>"
            + "<script src='http://other.example/x.js'></script><a href='/logout'>out</a>"
            + "<img src=\\"/a%20b.png\\"><img src=\\"a b\\"><img src='javascript:x'>";

        public static void main(String[] words) throws Exception {
          ServerSocket mute = new ServerSocket(0);
          Thread.ofPlatform().start(() -> {
            while (true) {
              try (var client = mute.accept()) {
                client.getOutputStream().write("hello\\n".getBytes());
              } catch (java.io.IOException e) {
                return;
              }
            }
          });
          Thread.sleep(500);
          var at = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
          HttpServer server = HttpServer.create(at, 0);
          server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            Files.writeString(Path.of(words[2]), path + "\\n",
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            byte[] body = (path.equals("/home/") ? HOME : "x").getBytes();
            if (path.equals("/")) {
              exchange.getResponseHeaders().add("Location", "/home/");
              exchange.sendResponseHeaders(302, -1);
            } else {
              boolean isGone = path.contains("gone") || words.length > 3;
              exchange.sendResponseHeaders(isGone ? 404 : 200, body.length);
              exchange.getResponseBody().write(body);
            }
            exchange.close();
          });
          server.start();
        }
      }
      """;

  @TempDir Path directory;

  private UrlSearch search(List<String> words) throws IOException {
    Path launcher = directory.resolve("launcher");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Files.writeString(launcher, "#!/bin/sh\nshift 3\nexec " + java + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new UrlSearch(launcher.toString(), words);
  }

  private List<String> application(String host, int port, String... more) throws IOException {
    Path source = Files.writeString(directory.resolve("Pages.java"), APPLICATION);
    List<String> words = new ArrayList<>(List.of(source.toString(), host, Integer.toString(port)));
    words.add(directory.resolve("asked").toString());
    words.addAll(List.of(more));
    return words;
  }

  @Test
  void findsTheFirstPageAndWhatItLoads() throws Exception {
    int port = FreePort.find();
    List<String> progress = new ArrayList<>();
    List<URI> urls = search(application("0.0.0.0", port)).find(progress::add);
    String server = "http://127.0.0.1:" + port;
    assertThat(urls.stream().map(URI::toString).toList())
        .containsExactly(
            server + "/home/",
            server + "/home/b.js?x=1&y=2",
            server + "/s/c.css",
            server + "/a.css",
            server + "/a%20b.png");
    assertThat(progress).hasSize(1 + urls.size()).contains("found " + server + "/home/");
    assertThat(Files.readAllLines(directory.resolve("asked")))
        .contains("/gone.png")
        .doesNotContain("/logout");
    try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(free.isBound()).as("the application has ended").isTrue();
    }
  }

  @Test
  void anAddressOfIpv6IsAUrlToo() throws Exception {
    int port = FreePort.find();
    assertThat(search(application("::1", port)).find(_ -> {}))
        .contains(URI.create("http://[0:0:0:0:0:0:0:1]:" + port + "/home/"));
  }

  @Test
  void whatWasFoundInsteadIsSaid() throws Exception {
    int port = FreePort.find();
    UrlSearch refused = search(application("127.0.0.1", port, "refuse"));
    assertThatThrownBy(() -> refused.find(_ -> {}))
        .hasMessageContaining("http://127.0.0.1:" + port + "/home/ answers 404")
        .hasMessageContaining("/ does not speak HTTP")
        .hasMessageContaining("Fix: name some by --load FILE");
    assertThatThrownBy(() -> search(List.of("-cp", "x", "NoSuchClass")).find(_ -> {}))
        .hasMessageContaining("did not start")
        .hasMessageContaining("NoSuchClass");
  }

  @Test
  void listeningSocketsAreThoseOfTheProcess() throws Exception {
    Path self = Path.of("/proc/self");
    int port;
    try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket any = new ServerSocket(0)) {
      port = any.getLocalPort();
      assertThat(ListeningSockets.of(self))
          .contains((InetSocketAddress) one.getLocalSocketAddress())
          .anyMatch(at -> at.getAddress().isAnyLocalAddress() && at.getPort() == port);
    }
    assertThat(ListeningSockets.of(self)).noneMatch(at -> at.getPort() == port);
    assertThat(ListeningSockets.of(Path.of("/proc/0"))).isEmpty();
  }
}
