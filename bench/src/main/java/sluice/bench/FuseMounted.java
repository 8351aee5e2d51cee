package sluice.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.bench.run.Cgroup;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Commands;
import sluice.bench.run.CpuTimes;
import sluice.bench.run.Harness;
import sluice.bench.run.Systems;
import sluice.bench.server.FuseServer;

/// A server of `bench fuse`, in a control group of its own, and its mount point. Used by the
/// harness's main thread; the shutdown hook may close it.
final class FuseMounted implements AutoCloseable {
  private final Process process;
  private final Path directory;
  private final @Nullable Cgroup cgroup;

  private FuseMounted(Process process, Path directory, @Nullable Cgroup cgroup) {
    this.process = process;
    this.directory = directory;
    this.cgroup = cgroup;
  }

  /// Starts a server and mounts it.
  ///
  /// @param system `c`, or Sluice with the number of threads after its slash
  /// @param index distinguishes servers of one system
  /// @param cpus the processors it may run on, as taskset(1) takes them
  /// @throws IOException if it does not mount, with a fix
  static FuseMounted open(Harness harness, String system, int index, String cpus)
      throws IOException {
    String name = "mount-" + system.replace('/', '-') + "-" + index;
    Path directory = Files.createDirectories(harness.workspace().temporary(name));
    List<String> server = command(harness, system, directory);
    FuseMounted mounted = Cleanup.open(() -> launch(server, cpus, directory));
    BufferedReader out = mounted.process.inputReader(StandardCharsets.UTF_8);
    if (!"ready".equals(out.readLine())) {
      mounted.close();
      throw new IOException(
          system
              + " did not mount. Why: it needs root and /dev/fuse, see above. Fix: run as root,"
              + " modprobe fuse");
    }
    return mounted;
  }

  private static List<String> command(Harness harness, String system, Path directory)
      throws IOException {
    if (system.equals("c")) {
      return List.of(harness.workspace().fusePeer().toString(), directory.toString());
    }
    List<String> command = new ArrayList<>(List.of(Systems.javaProgram()));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp"));
    command.add(harness.workspace().classPath(false));
    command.addAll(List.of(FuseServer.class.getName(), directory.toString()));
    command.add(system.substring(Systems.OURS.length()));
    return command;
  }

  private static FuseMounted launch(List<String> server, String cpus, Path directory)
      throws IOException {
    Cgroup cgroup = Cgroup.create();
    Process process =
        new ProcessBuilder(Cgroup.command(cgroup, cpus, server))
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return new FuseMounted(process, directory, cgroup);
  }

  long pid() {
    return process.pid();
  }

  /// Returns the processor time of the server so far; its resolution is 10 ms without control
  /// groups.
  long cpuNanos() throws IOException {
    if (cgroup != null) {
      String file = cgroup.cpuFile().toString();
      OptionalLong nanos = CpuTimes.nanos(file, Files.readString(cgroup.cpuFile()));
      if (nanos.isPresent()) {
        return nanos.getAsLong();
      }
    }
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  /// Returns the server's only file.
  Path file() {
    return directory.resolve("file");
  }

  @Override
  public synchronized void close() {
    try {
      Commands.run(10, List.of("umount", "-l", directory.toString()));
    } catch (IOException e) {
      process.destroyForcibly(); // it may not have mounted
    }
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    if (cgroup != null) {
      cgroup.close();
    }
    Cleanup.closed(this);
  }
}
