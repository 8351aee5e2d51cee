package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.plugin.HttpPlugin;
import sluice.testbase.Await;

/// Runs `sluice serve` in a separate process, with a plug-in of the test's classes at `/api` and
/// one static file. It has its own directories for temporary files and counters.
abstract class PluginRig {
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");

  @TempDir Path directory = Path.of(".");
  final HttpClient client = HttpClient.newHttpClient();

  /// The lines of the server's error output.
  final List<String> told = new CopyOnWriteArrayList<>();

  private @Nullable Process process;
  private int port;

  @AfterEach
  final void end() {
    client.shutdownNow();
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /// Creates a jar that declares the first of the classes as a service provider.
  static Path jar(Path jar, String service, Class<?>... types) throws IOException {
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      String line = "# a plug-in\n" + types[0].getName() + " # this\n";
      to.putNextEntry(new ZipEntry("META-INF/services/" + service));
      to.write(line.getBytes(StandardCharsets.UTF_8));
      for (Class<?> each : new LinkedHashSet<>(List.of(types))) {
        String file = each.getName().substring(each.getPackageName().length() + 1) + ".class";
        to.putNextEntry(new ZipEntry(each.getName().replace('.', '/') + ".class"));
        try (InputStream in = Objects.requireNonNull(each.getResourceAsStream(file))) {
          to.write(in.readAllBytes());
        }
      }
    }
    return jar;
  }

  /// Creates or replaces the jar of the plug-in.
  ///
  /// @param others further classes that the plug-in needs
  final Path plugin(Class<?> type, Class<?>... others) throws IOException {
    List<Class<?>> types = new ArrayList<>(List.of(type));
    types.addAll(List.of(others));
    Path jar = directory.resolve("api.jar");
    return jar(jar, HttpPlugin.class.getName(), types.toArray(Class<?>[]::new));
  }

  final void start(String... options) throws Exception {
    Path site = Files.createDirectories(directory.resolve("site"));
    Files.writeString(site.resolve("index.html"), "the site");
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    List<String> command = SluiceProcess.command("serve");
    command.add(command.indexOf("--module-path"), "-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of(site.toString(), "--port", "0"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    Process started = builder.start();
    process = started;
    String line = started.inputReader(StandardCharsets.UTF_8).readLine();
    Thread.ofVirtual()
        .start(() -> {
          BufferedReader err = started.errorReader(StandardCharsets.UTF_8);
          err.lines().forEach(told::add);
        });
    Matcher matcher = PORT.matcher(String.valueOf(line));
    assertThat(matcher.find()).as(line + told).isTrue();
    port = Integer.parseInt(matcher.group(1));
  }

  final Process process() {
    return Objects.requireNonNull(process);
  }

  final HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  /// Returns the status and the body of a reply.
  final String get(String path) throws Exception {
    HttpResponse<String> reply =
        client.send(to(path).build(), HttpResponse.BodyHandlers.ofString());
    return reply.statusCode() + " " + reply.body();
  }

  final void signal(String name) throws Exception {
    String pid = Long.toString(process().pid());
    assertThat(Await.end(new ProcessBuilder("kill", "-" + name, pid).start())).isZero();
  }

  /// Ends the server, which removes its temporary files.
  final void terminate() throws Exception {
    signal("TERM");
    assertThat(Await.end(process())).as(told.toString()).isZero();
    assertThat(directory.resolve("tmp")).isEmptyDirectory();
  }

  /// Runs another command and returns its output.
  static String output(String... words) {
    StringWriter out = new StringWriter();
    Commands.commandLine(words).setOut(new PrintWriter(out)).execute(words);
    return out.toString();
  }
}
