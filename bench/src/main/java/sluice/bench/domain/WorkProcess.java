package sluice.bench.domain;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Harness;

/// The process of one system, seen from the harness. Owned by the harness's main thread; closed by
/// it or by the shutdown hook.
final class WorkProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final BufferedWriter commands;
  private final File log;

  private WorkProcess(Process process, File log) {
    this.process = process;
    this.log = log;
    answers = process.inputReader(StandardCharsets.US_ASCII);
    commands = process.outputWriter(StandardCharsets.US_ASCII);
  }

  /// @throws IOException when the system cannot be started, with what it said
  static WorkProcess start(Harness harness, String bench, String name, String system)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-Xmn64m",
                "-XX:+UseCountedLoopSafepoints",
                "-XX:LoopStripMiningIter=1000",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                harness.workspace().classPath(false),
                WorkProcess.class.getPackageName() + ".WorkMain"));
    command.addAll(List.of(bench, name, system));
    File log = harness.workspace().temporary("work-" + system.replace('/', '-') + ".log").toFile();
    WorkProcess started =
        Cleanup.open(() ->
            new WorkProcess(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.to(log)).start(),
                log));
    try {
      started.read("ready");
      return started;
    } catch (IOException e) {
      started.close();
      throw e;
    }
  }

  /// The metrics of as many pieces of work as fill the time.
  Map<String, Double> measure(double seconds) throws IOException {
    commands.write(Math.round(seconds * 1e3) + "\n");
    commands.flush();
    Map<String, Double> metrics = new LinkedHashMap<>();
    for (String word : read("ok ").substring(3).split(" ", -1)) {
      int equals = word.indexOf('=');
      metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
    }
    return metrics;
  }

  private String read(String expected) throws IOException {
    String line = answers.readLine();
    if (line == null || !line.startsWith(expected)) {
      String said = Files.readString(log.toPath()).strip();
      throw new IOException((line == null ? "its process ended" : line) + "\n" + said);
    }
    return line;
  }

  /// Ends the process; its input's end is what tells it.
  @Override
  public void close() {
    try {
      commands.close();
    } catch (IOException e) {
      // it has ended already
    }
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Cleanup.closed(this);
  }
}
