package sluice.bench.domain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.bench.run.Harness;
import sluice.bench.run.Options;
import sluice.bench.run.WorkerProcess;

/// The harness's side of one system's process. Used by the harness's main thread.
final class WorkProcess implements AutoCloseable {
  /// The prefix of the name of a system whose JVM has no carriers.
  static final String WITHOUT_CARRIERS = "platform-threads/";

  private final WorkerProcess process;

  private WorkProcess(WorkerProcess process) {
    this.process = process;
  }

  /// Starts a process on both processors of the harness, so that a JVM has its default number of
  /// carriers.
  ///
  /// @throws IOException if the system cannot be started, with its output
  static WorkProcess start(Harness harness, String bench, String name, String system)
      throws IOException {
    Options options = harness.options();
    List<String> command =
        new ArrayList<>(
            List.of(
                "taskset",
                "-c",
                options.serverCpu() + "," + options.clientCpu(),
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-Xmn64m",
                "-XX:+UseCountedLoopSafepoints",
                "-XX:LoopStripMiningIter=1000",
                system.startsWith(WITHOUT_CARRIERS)
                    ? "-Dwithout.carriers=true"
                    : "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                harness.workspace().classPath(false),
                WorkProcess.class.getPackageName() + ".WorkMain"));
    command.addAll(List.of(bench, name, system));
    String log = "work-" + system.replace('/', '-') + ".log";
    return new WorkProcess(WorkerProcess.start(command, harness.workspace().temporary(log)));
  }

  /// Returns the metrics of as many pieces of work as fill the time.
  Map<String, Double> measure(double seconds) throws IOException {
    Map<String, Double> metrics = new LinkedHashMap<>();
    for (String word : process.ask(Long.toString(Math.round(seconds * 1e3)))) {
      int equals = word.indexOf('=');
      metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
    }
    return metrics;
  }

  @Override
  public void close() {
    process.close();
  }
}
