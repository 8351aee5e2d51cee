package sluice.bench.run;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A running server, pinned to one core, in a control group of its own, and stopped while others
/// are measured. Used by the harness's main thread; the shutdown hook may close it.
public final class Server implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final Pattern RSS = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB");

  private final ServerSpec spec;
  private final Process process;
  private final @Nullable Cgroup cgroup;
  private final Path log;
  private boolean paused;
  private boolean closed;

  private Server(ServerSpec spec, Process process, @Nullable Cgroup cgroup, Path log) {
    this.spec = spec;
    this.process = process;
    this.cgroup = cgroup;
    this.log = log;
  }

  /// Starts a server and waits until its port accepts connections.
  ///
  /// @param cpu core it runs on
  /// @param log file for its output
  /// @throws IOException with the end of that log if it does not come up within 60 s
  public static Server start(ServerSpec spec, int cpu, Path log) throws IOException {
    Server server = Cleanup.open(() -> launch(spec, cpu, log));
    try {
      server.awaitPort();
    } catch (IOException e) {
      server.close();
      throw e;
    }
    return server;
  }

  private static Server launch(ServerSpec spec, int cpu, Path log) throws IOException {
    Cgroup cgroup = Cgroup.create();
    ProcessBuilder builder =
        new ProcessBuilder(Cgroup.command(cgroup, cpu, spec.command()))
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(log.toFile());
    builder.environment().putAll(spec.environment());
    return new Server(spec, builder.start(), cgroup, log);
  }

  private void awaitPort() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), spec.port()), 1000);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          String how =
              process.isAlive()
                  ? "no listener on port " + spec.port() + " after " + START_SECONDS + " s"
                  : "ended with status " + process.exitValue();
          throw new IOException(spec.system() + ": " + how + "\n" + logTail(), e);
        }
      }
      Commands.sleepMillis(20);
    }
  }

  /// Returns the last lines the server printed, without the frames of stack traces.
  String logTail() throws IOException {
    List<String> lines =
        Files.readAllLines(log).stream().filter(line -> !line.startsWith("\tat ")).toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }

  public ServerSpec spec() {
    return spec;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /// Returns the process and all its descendants.
  public List<Long> pids() {
    List<Long> pids = new ArrayList<>(List.of(process.pid()));
    process.descendants().forEach(p -> pids.add(p.pid()));
    return pids;
  }

  /// Returns the patterns of the files with its processor time, see [CpuTimes].
  List<String> cpuFiles() {
    if (cgroup != null) {
      return List.of(cgroup.cpuFile().toString());
    }
    return pids().stream().map(pid -> "/proc/" + pid + "/task/*/schedstat").toList();
  }

  /// Returns the resident memory of all its processes in KiB.
  public long residentKilobytes() throws IOException {
    return residentKilobytes(pids());
  }

  public static long residentKilobytes(List<Long> pids) throws IOException {
    long sum = 0;
    for (long pid : pids) {
      Matcher matcher = RSS.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
      if (matcher.find()) {
        sum += Long.parseLong(matcher.group(1));
      }
    }
    return sum;
  }

  /// Stops it (SIGSTOP) so that it does not take time from the server being measured.
  public void pause() throws IOException {
    if (!paused && process.isAlive()) {
      Commands.signal("STOP", pids());
      paused = true;
    }
  }

  /// Lets it run again.
  ///
  /// @throws IOException with the end of its log if it has ended
  public void resume() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(
          spec.system() + " ended with status " + process.exitValue() + "\n" + logTail());
    }
    if (paused) {
      Commands.signal("CONT", pids());
      paused = false;
    }
  }

  /// Ends it and all its descendants, and removes its control group.
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
    family.add(process.toHandle());
    family.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle member : family) {
      try {
        member.onExit().get(5, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        System.err.println("process " + member.pid() + " of " + spec.system() + " does not end");
      }
    }
    if (cgroup != null) {
      cgroup.close();
    }
    Cleanup.closed(this);
  }
}
