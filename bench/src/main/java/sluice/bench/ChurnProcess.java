package sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.SelectorSystems;
import sluice.bench.run.Cgroup;
import sluice.bench.run.Cleanup;
import sluice.bench.run.CpuTimes;
import sluice.bench.run.Harness;
import sluice.bench.run.ServerSpec;

/// A JVM that runs [ChurnWork] on one selector, in a control group of its own, and works only on
/// command. Used by the harness's main thread; the shutdown hook may close it.
final class ChurnProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final @Nullable Cgroup cgroup;

  private ChurnProcess(Process process, @Nullable Cgroup cgroup) {
    this.process = process;
    this.cgroup = cgroup;
    out = process.inputReader(StandardCharsets.UTF_8);
    in = process.outputWriter(StandardCharsets.US_ASCII);
  }

  /// Starts a process.
  ///
  /// @param system a selector of [SelectorSystems]
  /// @param work a case of [ChurnWork]
  static ChurnProcess open(Harness harness, String system, String work, int threads)
      throws IOException {
    List<String> flags = new ArrayList<>(SelectorSystems.provider(system));
    flags.add("-Dsluice.nio.quiet=true");
    ServerSpec spec =
        harness
            .systems()
            .java(system, flags, "ChurnWork", List.of(work, Integer.toString(threads)), 0);
    ChurnProcess opened = Cleanup.open(() -> launch(spec));
    String line = opened.out.readLine();
    while (line != null && !line.equals("ready")) {
      line = opened.out.readLine();
    }
    if (line == null) {
      opened.close();
      throw new IOException(system + " did not start; see above");
    }
    return opened;
  }

  private static ChurnProcess launch(ServerSpec spec) throws IOException {
    String cpus = Files.readString(Path.of("/sys/devices/system/cpu/online")).strip();
    Cgroup cgroup = Cgroup.create();
    ProcessBuilder builder =
        new ProcessBuilder(Cgroup.command(cgroup, cpus, spec.command()))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChurnProcess(builder.start(), cgroup);
  }

  /// Lets it work for a while.
  ///
  /// @return the processor time of an operation without the client's share, ns, and operations per
  ///   second
  Map<String, Double> work(double seconds) throws IOException {
    long before = cpuNanos();
    in.write(seconds + "\n");
    in.flush();
    String line = out.readLine();
    long cpu = cpuNanos() - before;
    if (line == null || !line.matches("\\d+ \\d+")) {
      throw new IOException("the work failed: " + line);
    }
    String[] words = line.split(" ", -1);
    double done = Double.parseDouble(words[0]);
    return Map.of(
        "cpu_ns_per_req", (cpu - Double.parseDouble(words[1])) / done, "rps", done / seconds);
  }

  /// Returns the processor time of the process; its resolution is 10 ms without control groups.
  private long cpuNanos() throws IOException {
    if (cgroup != null) {
      String file = cgroup.cpuFile().toString();
      OptionalLong nanos = CpuTimes.nanos(file, Files.readString(cgroup.cpuFile()));
      if (nanos.isPresent()) {
        return nanos.getAsLong();
      }
    }
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  @Override
  public synchronized void close() {
    process.destroyForcibly();
    process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    if (cgroup != null) {
      cgroup.close();
    }
    Cleanup.closed(this);
  }
}
