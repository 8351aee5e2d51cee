package sluice.acceptance.servers;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.testbase.Child;

/// One main class of this package in a JVM of its own, with the options that `sluice run` gives.
/// The thread that starts it owns it; closing kills what still runs.
final class ServerProcess implements AutoCloseable {
  /// The JDK without any option of ours.
  static final String CONTROL = "jdk";

  /// Our own channels behind the files that [#files] says.
  static final String STATIC = "static";

  private static final long SECONDS = 180;

  /// The whole line: the log is read while it is written.
  private static final Pattern READY = Pattern.compile("(?m)^" + Launch.READY + "(\\d+)\\R");

  private static final Pattern PROBLEM =
      Pattern.compile("Exception|\\bError\\b|SEVERE|ERROR|^\\s+at \\S+\\(|\\bWARN");

  /// What the JVM says about libraries that use its inner parts.
  private static final Pattern OF_THE_JVM =
      Pattern.compile(
          "^WARNING: .*(sun\\.misc\\.Unsafe|terminally deprecated|[Nn]ative|[Rr]estricted|report)");

  /// What a server says of itself on the JDK too, at each start or end; or when a thread of its
  /// own, which waits for no channel, gets no processor for a second.
  private static final Pattern OF_THE_SERVER =
      Pattern.compile(
          "X509Util - zookeeper\\.ssl\\.(key|trust)Store\\.location not specified"
              + "|QuorumController .*Performing controller activation"
              + "|Attempting to close NetworkClient that has already been closed"
              + "|Exceptionally slow controller event"
              + "|controller event queue overloaded\\. Timed out heartbeat"
              + "|sent a heartbeat request but received error REQUEST_TIMED_OUT");

  private final Process process;
  private final Path log;

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  static ServerProcess start(Class<?> main, String engine, Path directory, List<String> arguments)
      throws IOException {
    Files.createDirectories(directory);
    List<String> ours = new ArrayList<>();
    List<String> theirs = new ArrayList<>();
    for (String entry : Child.classPath().split(":", -1)) {
      (isOurModule(Path.of(entry)) ? ours : theirs).add(entry);
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    if (engine.equals(STATIC)) {
      command.add("-javaagent:" + agent(ours, directory));
      command.add("-Dsluice.nio.static=" + files(directory));
    } else if (!engine.equals(CONTROL)) {
      command.addAll(
          List.of(
              "--module-path",
              String.join(":", ours),
              "--add-modules=sluice.nio",
              "--add-exports=java.base/sun.nio.ch=sluice.nio",
              "--enable-native-access=sluice.sys",
              "-Djava.nio.channels.spi.SelectorProvider=sluice.nio.SluiceSelectorProvider",
              "-Dsluice.nio.stats=true",
              "-Dsluice.nio.engine=" + engine));
    }
    command.addAll(List.of("-cp", String.join(":", theirs), main.getName()));
    command.addAll(arguments);
    Path log = directory.resolve(main.getSimpleName() + ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(log.toFile())
            .start();
    return new ServerProcess(process, log);
  }

  /// What `sluice run --static` starts with: a jar that names our classes where they are.
  private static Path agent(List<String> ours, Path directory) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", "sluice.nio.Agent");
    attributes.put(
        Attributes.Name.CLASS_PATH,
        ours.stream().map(entry -> Path.of(entry).toUri().toString()).collect(joining(" ")));
    Path jar = directory.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  /// The directory whose files are in front of a server.
  static Path files(Path directory) {
    return directory.resolve("site");
  }

  private static boolean isOurModule(Path entry) {
    return Files.exists(entry)
        && !entry.endsWith("test-classes")
        && entry.toString().contains("/target/")
        && ModuleFinder.of(entry).findAll().stream()
            .anyMatch(module -> module.descriptor().name().startsWith("sluice."));
  }

  /// Waits until the server tells its port.
  int port() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (System.nanoTime() < deadline) {
      boolean alive = process.isAlive();
      Matcher ready = READY.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
      if (ready.find()) {
        return Integer.parseInt(ready.group(1));
      }
      if (!alive) {
        break;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("did not start:\n" + tail());
  }

  /// Waits for the end.
  ///
  /// @return the exit code
  int end() throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end:\n" + threads() + tail());
    }
    return process.exitValue();
  }

  /// Sends SIGTERM.
  void terminate() {
    process.destroy();
  }

  /// Lines that tell of a problem.
  List<String> problems() throws IOException {
    return lines().stream()
        .filter(PROBLEM.asPredicate())
        .filter(OF_THE_JVM.asPredicate().or(OF_THE_SERVER.asPredicate()).negate())
        .toList();
  }

  /// A server that uses a native transport, or no selector, would show nothing.
  void assertSelectsOn(String engine) throws IOException {
    String said = String.join("\n", lines());
    if (engine.equals(CONTROL)) {
      assertThat(said).doesNotContain("sluice.nio: ");
    } else if (engine.equals(STATIC)) {
      assertThat(said).contains("sluice.nio: files of ").contains(" are answered in front of ");
    } else {
      assertThat(said).contains("sluice.nio: engine " + engine);
    }
    if (engine.equals("readiness")) { // the counting one
      assertThat(said).containsPattern("sluice\\.nio: selects [1-9]");
    }
  }

  List<String> lines() throws IOException {
    return Files.readAllLines(log, StandardCharsets.ISO_8859_1);
  }

  /// The last lines of what it printed.
  String tail() throws IOException {
    List<String> lines = lines();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
  }

  /// Stacks of all threads, as far as the process still tells them.
  String threads() throws IOException, InterruptedException {
    Path stacks = log.resolveSibling(log.getFileName() + ".threads");
    Process jstack =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jstack").toString(),
                String.valueOf(process.pid()))
            .redirectErrorStream(true)
            .redirectOutput(stacks.toFile())
            .start();
    if (!jstack.waitFor(SECONDS, TimeUnit.SECONDS)) {
      jstack.destroyForcibly();
    }
    return "threads in " + stacks + "\n";
  }

  /// Kills what still runs and waits until it is gone.
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    Process _ = process.destroyForcibly().onExit().orTimeout(SECONDS, TimeUnit.SECONDS).join();
  }
}
