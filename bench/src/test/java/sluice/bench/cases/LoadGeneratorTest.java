package sluice.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.run.Commands;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadResult;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Role;
import sluice.bench.run.Server;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;
import sluice.bench.run.Workspace;

/// The load generator against the C peers: that it counts, and that it refuses wrong replies.
@Timeout(600)
final class LoadGeneratorTest {
  private @Nullable Workspace opened;
  private Path root = Path.of("");

  @BeforeEach
  void open() throws IOException {
    assumeThat(Commands.find("gcc")).as("gcc, which compiles the load generator").isNotNull();
    assumeThat(Commands.find("taskset")).as("taskset (util-linux), which pins it").isNotNull();
    assumeThat(ioUringAllowed()).as("io_uring, which it is built on").isTrue();
    opened = Workspace.open();
    root = new Sites(workspace().cache(), null).small();
  }

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  private Workspace workspace() {
    return Objects.requireNonNull(opened);
  }

  private static boolean ioUringAllowed() throws IOException {
    Path setting = Path.of("/proc/sys/kernel/io_uring_disabled");
    return Files.exists(setting) && Files.readString(setting).strip().equals("0");
  }

  private Server start(String system, Role role) throws IOException {
    ServerSpec spec = new Systems(workspace()).spec(system, role, root);
    return Server.start(spec, 0, workspace().temporary(system + ".log"));
  }

  private LoadResult run(Server server, LoadSpec load) throws IOException {
    return run(server, load, 1); // a busy machine may stop a while
  }

  private LoadResult run(Server server, LoadSpec load, double seconds) throws IOException {
    return new LoadGenerator(workspace(), 0, false)
        .run(server, load, LoadGenerator.Run.of(0.05, seconds).checkingBodies());
  }

  @ParameterizedTest
  @ValueSource(strings = {"c-epoll", "c-io_uring"})
  void echoesAreCounted(String system) throws IOException {
    try (Server server = start(system, Role.ECHO)) {
      LoadResult result = run(server, LoadSpec.echo(8, 4, 3000).withIdle(5));
      assertThat(result.value("requests")).isPositive();
      // the window may begin and end inside a message of any connection
      assertThat(result.value("wire_bytes"))
          .isBetween(
              (result.value("requests") - 32) * 3000, (result.value("requests") + 32) * 3000);
      assertThat(result.metrics(0)).containsKeys("cpu_ns_per_req", "machine_ns_per_req");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"c-epoll", "c-io_uring"})
  void repliesAreChecked(String system) throws IOException {
    byte[] body = Files.readAllBytes(root.resolve("1k.txt"));
    byte[] request = HttpProbe.request("/1k.txt");
    RequestMix right = new RequestMix();
    right.add(1, request, 200, body);
    right.add(2, request, 200, body);
    RequestMix wrongStatus = new RequestMix();
    wrongStatus.add(1, request, 304);
    RequestMix wrongLength = new RequestMix();
    wrongLength.add(1, request, 200, 1023, -1);
    RequestMix wrongBody = new RequestMix();
    wrongBody.add(1, request, 200, 1024, 42);
    try (Server server = start(system, Role.SMALL)) {
      LoadResult result =
          run(server, LoadSpec.http(4, 16, right.write(workspace().temporary("right"))));
      assertThat(result.value("status_2xx")).isEqualTo(result.value("requests")).isPositive();
      refused(server, wrongStatus, "status 200 instead of 304");
      refused(server, wrongLength, "1024 body bytes instead of 1023");
      refused(server, wrongBody, "wrong body");
    }
  }

  @Test
  void kindsOfRequestsAreToldApart() throws IOException {
    byte[] body = Files.readAllBytes(root.resolve("1k.txt"));
    byte[] request = HttpProbe.request("/1k.txt");
    RequestMix mix = new RequestMix();
    mix.add(3, request, 200, body, "often");
    mix.add(1, request, 200, body, "seldom");
    assertThatThrownBy(() -> mix.add(1, request, 200, body, "two words"))
        .isInstanceOf(IllegalArgumentException.class);
    try (Server server = start("c-epoll", Role.SMALL)) {
      LoadResult result =
          run(server, LoadSpec.http(4, 1, mix.write(workspace().temporary("kinds"))));
      assertThat(result.value("often_requests")).isGreaterThan(result.value("seldom_requests"));
      assertThat(result.value("often_requests") + result.value("seldom_requests"))
          .isEqualTo(result.value("requests"));
      assertThat(result.metrics(0))
          .containsKeys("often_p50_us", "often_p99_us", "seldom_p50_us", "seldom_p99_us");
    }
  }

  private void refused(Server server, RequestMix mix, String why) throws IOException {
    LoadSpec load = LoadSpec.http(1, 1, mix.write(workspace().temporary("wrong")));
    assertThatThrownBy(() -> run(server, load))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void openLoopKeepsItsRate() throws IOException {
    try (Server server = start("c-epoll", Role.ECHO)) {
      long begin = System.nanoTime();
      LoadResult result = run(server, LoadSpec.echo(4, 1, 64).withRate(1000), 0.2);
      double seconds = (System.nanoTime() - begin) / 1e9;
      // The server answers tens of thousands. What was due before the window, and late, may be in
      // it.
      assertThat(result.value("requests")).isLessThan(1000 * seconds + 2);
    }
  }

  @Test
  void aWindowWithoutAReplyGoesOnUntilThereIsOne() throws Exception {
    boolean prolonged = false;
    // The longer a reply takes, the less a machine that stops can hide it from the window.
    for (long millis = 300; !prolonged && millis < 5_000; millis *= 2) {
      long delayMillis = millis;
      try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
        CompletableFuture<Void> echoes =
            CompletableFuture.runAsync(() -> echo(listener, delayMillis));
        String port = Integer.toString(listener.getLocalPort());
        List<String> command =
            new ArrayList<>(List.of(workspace().loadGenerator().toString(), "--port", port));
        command.addAll(List.of("--connections", "1", "--depth", "1", "--echo", "8"));
        command.addAll(List.of("--warm", "0", "--time", "0.05"));
        LoadResult result = LoadResult.parse(Commands.run(180, command));
        prolonged = result.value("prolonged") == 1;
        assertThat(result.value("requests")).isPositive();
        echoes.get(60, TimeUnit.SECONDS);
      }
    }
    assertThat(prolonged).isTrue();
  }

  /// One connection, whose first bytes come back late.
  private static void echo(ServerSocket listener, long delayMillis) {
    try (Socket socket = listener.accept()) {
      Thread.sleep(delayMillis);
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (SocketException end) {
      // the generator has gone
    } catch (IOException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void aServerThatEndsIsReportedWithItsLog() throws IOException {
    try (Server server = start("c-epoll", Role.ECHO)) {
      Commands.signal("KILL", server.pids());
      for (int i = 0; i < 600 && server.isAlive(); i++) {
        Commands.sleepMillis(100);
      }
      assertThatThrownBy(() -> run(server, LoadSpec.echo(1, 1, 64)))
          .hasMessageContaining("c-epoll ended with status");
    }
  }
}
