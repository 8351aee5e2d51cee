package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// A server that may have 64 descriptors.
@Timeout(600)
final class DescriptorsTest {
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");
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

  private int start(String backend, Path errors) throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    for (int i = 0; i < CLIENTS; i++) {
      Files.createDirectory(site.resolve("d" + i));
      Files.writeString(site.resolve("d" + i + "/file.txt"), "content " + i);
    }
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"));
    command.addAll(SluiceProcess.command("serve", site.toString(), "--port", "0", "--listing"));
    command.set(command.indexOf("--module-path") + 1, jars());
    command.addAll(List.of("--backend", backend));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    builder.redirectError(errors.toFile());
    Process started = builder.start();
    process = started;
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    Matcher matcher = PORT.matcher(String.valueOf(out.readLine()));
    assertThat(matcher.find()).as(() -> read(errors)).isTrue();
    Path control = directory.resolve("run").resolve(started.pid() + ".control");
    Await.until("a server that has all it opens", () -> Files.exists(control));
    return Integer.parseInt(matcher.group(1));
  }

  /// The module path with folders packed into jars, as it is installed: a class in a folder cannot
  /// be loaded without a descriptor.
  private String jars() throws IOException {
    List<String> entries = new ArrayList<>();
    for (String each : System.getProperty("jdk.module.path", "").split(File.pathSeparator, -1)) {
      Path entry = Path.of(each);
      entries.add(Files.isDirectory(entry) ? jar(entry, entries.size()).toString() : each);
    }
    return String.join(File.pathSeparator, entries);
  }

  private Path jar(Path classes, int number) throws IOException {
    Path jar = directory.resolve("module" + number + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(each).toString()));
        Files.copy(each, out);
        out.closeEntry();
      }
    }
    return jar;
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

  /// A reply, with as much of its body as came with the head.
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

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll", "poll", "jdk"})
  void aClientThatCannotBeServedIsToldSoAndTheOperatorOnce(String backend) throws Exception {
    Path errors = directory.resolve("errors");
    int port = start(backend, errors);
    int served = 0;
    for (int i = 0; i < CLIENTS; i++) {
      Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
      clients.add(client);
      String reply = ask(client, i % 3 == 0 ? "/d" + i + "/" : "/d" + i + "/file.txt");
      if (reply.startsWith("HTTP/1.1 200 ")) {
        served++;
      } else {
        assertThat(reply).startsWith("HTTP/1.1 503 ").contains("Retry-After: ");
      }
    }
    assertThat(served).as(() -> read(errors)).isBetween(5, 63);
    String last = ask(new Socket(InetAddress.getLoopbackAddress(), port), "/d1/file.txt");
    assertThat(last).startsWith("HTTP/1.1 503 ").contains("Connection: close");
    for (int i = 0; i < CLIENTS; i++) {
      String reply = ask(clients.getFirst(), "/d" + i + "/file.txt?" + i);
      assertThat(reply).containsPattern("^HTTP/1\\.1 (200|503) ");
    }
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

  private static boolean servesAgain(int port) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return ask(client, "/d2/file.txt").startsWith("HTTP/1.1 200 ");
    }
  }
}
