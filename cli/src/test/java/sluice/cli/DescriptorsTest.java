package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.ResourceLimit;
import sluice.testbase.Await;

/// Tests a server with a low limit on descriptors. Idle connections are closed to make room, and
/// clients without a place are told.
@Timeout(600)
final class DescriptorsTest {
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");
  private static final Pattern MOUNT_PORT = Pattern.compile("mountport=(\\d+)");
  private static final int CLIENTS = 90;

  @TempDir Path directory = Path.of(".");
  private @Nullable Process process;
  private final List<Socket> clients = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    if (process != null) {
      process.destroyForcibly();
    }
    for (Socket each : clients) {
      each.close();
    }
  }

  private int start(String backend, Path errors, int limit, String... options) throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    for (int i = 0; i < CLIENTS; i++) {
      Files.createDirectory(site.resolve("d" + i));
      Files.writeString(site.resolve("d" + i + "/file.txt"), "content " + i);
    }
    List<String> command =
        SluiceProcess.command("serve", site.toString(), "--port", "0", "--listing");
    command.addAll(List.of("--backend", backend));
    command.addAll(List.of(options));
    Process started = launch(errors, limit, command);
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    Matcher matcher = PORT.matcher(String.valueOf(out.readLine()));
    assertThat(matcher.find()).as(() -> read(errors)).isTrue();
    Path control = directory.resolve("run").resolve(started.pid() + ".control");
    Await.until("a server that has all it opens", () -> Files.exists(control));
    return Integer.parseInt(matcher.group(1));
  }

  private Process launch(Path errors, int limit, List<String> what) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "ulimit -n " + limit + "; exec \"$@\"", "sh"));
    command.addAll(what);
    command.set(command.indexOf("--module-path") + 1, directories());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    builder.redirectError(errors.toFile());
    Process started = builder.start();
    process = started;
    return started;
  }

  /// Returns the module path with directories instead of our jars, so that loading each class takes
  /// a descriptor.
  private static String directories() {
    return Stream.of(System.getProperty("jdk.module.path", "").split(File.pathSeparator, -1))
        .map(DescriptorsTest::directory)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String directory(String entry) {
    Path classes = Path.of(entry).resolveSibling("classes");
    return Files.isDirectory(classes) ? classes.toString() : entry;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return String.valueOf(e);
    }
  }

  private static String ask(Socket client, String path) throws IOException {
    client.setSoTimeout(60_000);
    String text = "GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n";
    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    return answer(client.getInputStream());
  }

  /// Reads a reply, with the part of its body that arrived together with the head.
  private static String answer(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    byte[] piece = new byte[8_192];
    while (text.indexOf("\r\n\r\n") < 0) {
      int count = in.read(piece);
      assertThat(count).as(text::toString).isPositive();
      text.append(new String(piece, 0, count, StandardCharsets.ISO_8859_1));
    }
    return text.toString();
  }

  private Socket connected(int port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    clients.add(client);
    return client;
  }

  /// Sends half of a request head, so that the connection is not idle.
  private Socket asking(int port, String target) throws IOException {
    Socket client = connected(port);
    client.setSoTimeout(60_000);
    client.getOutputStream().write(("GET " + target + " HT").getBytes(StandardCharsets.US_ASCII));
    return client;
  }

  private static String goOn(Socket client) throws IOException {
    String rest = "TP/1.1\r\nHost: test\r\n\r\n";
    client.getOutputStream().write(rest.getBytes(StandardCharsets.US_ASCII));
    return answer(client.getInputStream());
  }

  private long held() throws IOException {
    Path directory = Path.of("/proc", Long.toString(Objects.requireNonNull(process).pid()), "fd");
    try (Stream<Path> all = Files.list(directory)) {
      return all.count();
    }
  }

  static Stream<Arguments> crowds() {
    return Stream.of("io_uring", "epoll", "poll", "jdk")
        .flatMap(backend -> Stream.of(300, 400, 4_000).map(count -> arguments(backend, count)));
  }

  @ParameterizedTest
  @MethodSource("crowds")
  void idleConnectionsMakeRoomForANewOneAndTheOldestGoFirst(String backend, int count)
      throws Exception {
    ResourceLimit now = ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, count + 1_000L);
    assumeTrue(now.soft() < 0 || now.soft() >= count + 500L, "needs ulimit -n " + (count + 500));
    Path errors = directory.resolve("errors");
    int port = start(backend, errors, 256);
    Socket busy = asking(port, "/d0/file.txt");
    for (int i = 0; i < count; i++) {
      Socket idle = connected(port);
      if (i % 2 == 1 && i > count - 100) { // a connection that has sent a request before
        assertThat(ask(idle, "/d1/file.txt")).startsWith("HTTP/1.1 200 ");
      }
    }
    for (int i = 0; i < 50; i++) {
      Socket client = connected(port);
      assertThat(ask(client, "/d" + i + "/file.txt?" + i)).startsWith("HTTP/1.1 200 ");
    }
    assertThat(goOn(busy)).as("never one with a request under way").startsWith("HTTP/1.1 200 ");
    assertThat(ask(clients.getLast(), "/d2/file.txt"))
        .as("the last is not idle longest")
        .startsWith("HTTP/1.1 200 ");
    assertThat(clients.get(1).getInputStream().read()).as("the first of the idle").isEqualTo(-1);
    Await.until("connections leave some for files", () -> held() <= 256 - 256 / 16);
  }

  /// Tests a loop that has no idle connection: the loop of the metrics, whose connections end after
  /// one reply, while the idle connections are on two other loops. Not with `/healthz`, which
  /// reports 503 if a loop has waited 2 s for a processor.
  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll", "poll", "jdk"})
  void otherLoopsMakeRoomForALoopThatHasNoIdleConnection(String backend) throws Exception {
    Path errors = directory.resolve("errors");
    int port = start(backend, errors, 256, "--loops", "2", "--metrics-port", "0");
    BufferedReader out = Objects.requireNonNull(process).inputReader(StandardCharsets.UTF_8);
    Matcher second = PORT.matcher(String.valueOf(out.readLine()));
    assertThat(second.find()).isTrue();
    int metrics = Integer.parseInt(second.group(1));
    for (int i = 0; i < 300; i++) {
      connected(port);
    }
    for (int i = 0; i < 20; i++) {
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), metrics)) {
        assertThat(ask(client, "/metrics")).as("number " + i).startsWith("HTTP/1.1 200 ");
      }
      assertThat(ask(connected(port), "/d" + i + "/file.txt")).startsWith("HTTP/1.1 200 ");
    }
  }

  /// Checks that NFS clients keep their connections: existing clients continue and new ones are
  /// refused.
  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll", "poll", "jdk"})
  void nfsRefusesNewClientsAndGoesOnForTheOthers(String backend) throws Exception {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "16M", image.toString())).isZero();
    Path errors = directory.resolve("errors");
    Process started =
        launch(
            errors,
            128,
            SluiceProcess.command(
                "nfs",
                image.toString(),
                "--port",
                "0",
                "--bind",
                "127.0.0.1",
                "--export",
                "/data",
                "--backend",
                backend));
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    Matcher matcher = MOUNT_PORT.matcher("");
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (matcher.reset(line).find()) {
        break;
      }
    }
    int port = Integer.parseInt(matcher.group(1));
    assertThat(calls(connected(port))).isTrue();
    int refused = 0;
    for (int i = 0; i < 200; i++) {
      Socket client = connected(port);
      if (!calls(client)) {
        refused++;
      }
    }
    assertThat(refused).isBetween(100, 190);
    for (int i = 0; i < 5; i++) {
      assertThat(calls(clients.get(i))).as("a client of before").isTrue();
    }
    Await.until("a warning", () -> read(errors).endsWith("\n"));
    assertThat(read(errors).lines().filter(line -> line.contains("descriptors")))
        .singleElement()
        .asString()
        .contains("may have 128 open");
    for (Socket each : clients) {
      each.close();
    }
    Await.until("a client that is served", () -> calls(connected(port)));
  }

  /// Sends a NULL call of NFSv3 and reads the reply.
  ///
  /// @return false if the server closes the connection instead
  private static boolean calls(Socket client) throws IOException {
    ByteBuffer call = ByteBuffer.allocate(44).putInt(0x8000_0000 | 40);
    call.putInt(7).putInt(0).putInt(2).putInt(100_003).putInt(3); // and zeros
    client.setSoTimeout(60_000);
    try {
      client.getOutputStream().write(call.array());
      return client.getInputStream().readNBytes(28).length == 28;
    } catch (SocketException reset) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll", "poll", "jdk"})
  void idleConnectionsMakeRoomBelowTheLimitOfConnections(String backend) throws Exception {
    Path errors = directory.resolve("errors");
    int port = start(backend, errors, 1024, "--max-connections", "50");
    Socket busy = asking(port, "/d0/file.txt");
    for (int i = 0; i < 300; i++) {
      connected(port);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(ask(connected(port), "/d" + i + "/file.txt")).startsWith("HTTP/1.1 200 ");
    }
    assertThat(goOn(busy)).startsWith("HTTP/1.1 200 ");
    assertThat(read(errors)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll", "poll", "jdk"})
  void aClientThatCannotBeServedIsToldSoAndTheOperatorOnce(String backend) throws Exception {
    Path errors = directory.resolve("errors");
    int port = start(backend, errors, 64);
    for (int i = 0; i < CLIENTS; i++) {
      asking(port, "/d" + i + "/file.txt");
    }
    Socket told = connected(port);
    told.setSoTimeout(60_000);
    assertThat(answer(told.getInputStream()))
        .startsWith("HTTP/1.1 503 ")
        .contains("Retry-After: ", "Connection: close");
    int served = 0;
    for (int i = 0; i < CLIENTS; i++) {
      try {
        served += goOn(clients.get(i)).startsWith("HTTP/1.1 200 ") ? 1 : 0;
      } catch (IOException | AssertionError e) {
        // The server closed the connection.
      }
    }
    assertThat(served).as("files of those that have a place").isBetween(5, 60);
    Await.until("a warning", () -> Files.size(errors) > 0);
    Await.until("a whole line", () -> read(errors).endsWith("\n"));
    assertThat(read(errors).lines())
        .singleElement()
        .asString()
        .contains("may have 64 open")
        .contains("ulimit -n 1048576")
        .contains("LimitNOFILE=1048576");
    for (Socket each : clients) {
      each.close();
    }
    Await.until("a client that is served", () -> servesAgain(port));
  }

  private static boolean servesAgain(int port) {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return ask(client, "/d2/file.txt").startsWith("HTTP/1.1 200 ");
    } catch (IOException | AssertionError e) {
      return false; // closed by the server, because the earlier clients still hold their places
    }
  }
}
