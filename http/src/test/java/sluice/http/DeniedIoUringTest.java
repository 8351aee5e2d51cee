package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.site.Site;
import sluice.loop.server.Engines;
import sluice.loop.server.ServerConfig;
import sluice.sys.Seccomp;
import sluice.testbase.Await;

/// A container that denies io_uring: another JVM takes it from itself and serves all the same.
@Timeout(240)
class DeniedIoUringTest {
  @TempDir Path root;

  /// Run by the other JVM: serves once, prints what it chose and what it answered.
  static final class Denied {
    private Denied() {}

    public static void main(String[] arguments) throws IOException {
      Seccomp.deny(List.of(arguments).subList(1, arguments.length));
      HttpConfig config =
          HttpConfig.of(ServerConfig.onLoopback("denied", 0), Site.of(Path.of(arguments[0])));
      try (HttpServer server = HttpServer.start(config, _ -> {})) {
        Engines.Choice choice = server.server().engine();
        System.out.println("backend " + choice.backend() + "; " + choice.why());
        for (int i = 0; i < 2; i++) {
          System.out.println(ask(server.server().port()));
        }
      }
    }

    private static String ask(int port) throws IOException {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        String request = "GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      }
    }
  }

  @Test
  void servesByEpollAndSaysWhy() throws Exception {
    assertThat(serveWithout("io_uring_setup", "io_uring_enter", "io_uring_register"))
        .contains("backend epoll; io_uring not used: io_uring_setup")
        .doesNotContain("epoll not used");
  }

  @Test
  void servesByPollWhereEpollIsDeniedToo() throws Exception {
    assertThat(serveWithout("io_uring_setup", "epoll_create1"))
        .contains("backend poll; io_uring not used: io_uring_setup")
        .contains("epoll not used: epoll_create1");
  }

  private String serveWithout(String... calls) throws Exception {
    Files.writeString(root.resolve("a.txt"), "hello");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
    command.addAll(List.of(Denied.class.getName(), root.toString()));
    command.addAll(List.of(calls));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Await.limit(process);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output)
        .contains("EPERM")
        .contains("Fix:")
        .contains("HTTP/1.1 200 OK")
        .contains("\r\n\r\nhello");
    return output;
  }

  /// Everything this test was started with, as one class path.
  static String classPath() {
    Set<String> entries = new TreeSet<>();
    for (String property :
        List.of("java.class.path", "jdk.module.path", "surefire.test.class.path")) {
      entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator)));
    }
    entries.add(Path.of("target", "test-classes").toAbsolutePath().toString());
    entries.remove("");
    return String.join(File.pathSeparator, entries);
  }
}
