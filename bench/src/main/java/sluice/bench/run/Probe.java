package sluice.bench.run;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Counts system calls (with `perf`) and allocations (with an agent) per request, in separate runs
/// because both cost time. Used by the harness's main thread.
public final class Probe {
  /// The number of attempts to start perf, which fails if a thread ends while it attaches.
  private static final int PERF_ATTEMPTS = 3;

  private final Workspace workspace;
  private final LoadGenerator generator;
  private final @Nullable Path perf;
  private @Nullable Path agent;
  private int files;
  private boolean complained;

  public Probe(Workspace workspace, LoadGenerator generator) {
    this.workspace = workspace;
    this.generator = generator;
    this.perf = Commands.find("perf");
  }

  /// Runs a warm server under load with counting on.
  ///
  /// @return the metrics of [PollingCalls], `alloc_bytes_per_req` and `rss_kb`, as far as they are
  ///   available here
  public Map<String, Double> measure(
      Server server, LoadSpec load, long bytesPerRequest, double seconds) throws IOException {
    Map<String, Double> metrics = new LinkedHashMap<>();
    int number = ++files;
    Path allocations = workspace.temporary("allocated-" + number);
    Path fifo = workspace.temporary("window-" + number);
    Path counts = workspace.temporary("perf-" + number);
    server.resume();
    awaitSteadyThreads(server);
    Process counting = startPerf(server, fifo, counts);
    try {
      boolean java =
          server.spec().java() && attach(server, AllocationAgent.ALLOCATED + allocations);
      LoadGenerator.Run run =
          new LoadGenerator.Run(
              0.2,
              seconds,
              false,
              counting == null ? null : fifo,
              java ? List.of(allocations.toString()) : List.of(),
              0);
      LoadResult result = generator.run(server, load, run);
      double requests =
          bytesPerRequest > 0
              ? result.value("body_bytes") / bytesPerRequest
              : result.value("requests");
      if (counting != null) {
        Commands.interrupt(counting, 5);
        PollingCalls calls = PollingCalls.parse(Files.readString(counts));
        metrics.putAll(calls.metrics(requests, result.value("seconds") * 1e3));
      }
      if (java) {
        long before = allocated(result.snapshotText(allocations.toString(), false));
        long after = allocated(result.snapshotText(allocations.toString(), true));
        metrics.put("alloc_bytes_per_req", Math.max(0, after - before) / requests);
      }
      metrics.put("rss_kb", (double) server.residentKilobytes());
    } finally {
      if (counting != null) {
        Commands.interrupt(counting, 5);
      }
      Files.deleteIfExists(allocations);
    }
    return metrics;
  }

  private static long allocated(String text) {
    return text.isBlank() ? 0 : Long.parseLong(text.strip());
  }

  /// Returns the bytes of heap in use after a collection; 0 for servers that are not a JVM.
  public long heapInUse(Server server) throws IOException {
    Path file = workspace.temporary("heap-" + ++files);
    if (!server.spec().java() || !attach(server, AllocationAgent.HEAP + file)) {
      return 0;
    }
    return Long.parseLong(Files.readString(file));
  }

  // ---- perf ---------------------------------------------------------------------------------

  /// Starts perf, which the fifo switches on and off; returns null, and prints one message, if that
  /// is not possible.
  private @Nullable Process startPerf(Server server, Path fifo, Path counts) throws IOException {
    if (perf == null) {
      complain("perf is not installed: no system calls per request. Fix: install linux-perf");
      return null;
    }
    Path ack = LoadGenerator.ack(fifo);
    Commands.run(5, List.of("mkfifo", fifo.toString(), ack.toString()));
    String pids = server.pids().stream().map(String::valueOf).collect(Collectors.joining(","));
    Path messages = workspace.temporary("perf.log");
    List<String> command = new ArrayList<>(List.of(perf.toString(), "stat", "-x", ","));
    command.addAll(PollingCalls.options());
    command.addAll(List.of("-D", "-1", "--control", "fifo:" + fifo + "," + ack));
    command.addAll(List.of("-o", counts.toString(), "-p", pids));
    for (int attempt = 0; attempt < PERF_ATTEMPTS; attempt++) {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(messages.toFile())
              .start();
      if (isCounting(process, fifo, ack)) {
        return process;
      }
      Commands.interrupt(process, 5);
    }
    complain("no system calls per request: perf: " + withoutWarnings(Files.readString(messages)));
    return null;
  }

  /// Waits until a server with a thread per connection has ended the threads of the last window, so
  /// that perf does not meet them. Gives up after some seconds.
  private static void awaitSteadyThreads(Server server) throws IOException {
    long before = -1;
    for (int i = 0; i < 50; i++) {
      long now = threads(server);
      if (now == before) {
        return;
      }
      before = now;
      Commands.sleepMillis(100);
    }
  }

  private static long threads(Server server) throws IOException {
    long sum = 0;
    for (long pid : server.pids()) {
      try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
        sum += tasks.count();
      } catch (NoSuchFileException e) {
        // a process that has just ended has none
      }
    }
    return sum;
  }

  /// Returns perf's messages without its line for each thread that has ended meanwhile.
  static String withoutWarnings(String messages) {
    return messages
        .lines()
        .filter(line -> !line.startsWith("WARNING: "))
        .collect(Collectors.joining(" "))
        .strip();
  }

  /// Returns true if perf has attached itself to all threads. After it has opened the fifo, it
  /// gives up if a thread ends.
  private static boolean isCounting(Process perf, Path fifo, Path ack) throws IOException {
    for (int i = 0; i < 200 && perf.isAlive(); i++) {
      if (holdsOpen(perf.pid(), fifo)) {
        return answers(perf, fifo, ack);
      }
      Commands.sleepMillis(10);
    }
    return false;
  }

  private static boolean answers(Process perf, Path fifo, Path ack) throws IOException {
    String ask = "timeout 5 sh -c 'echo ping > \"$0\" && head -n 1 \"$1\"' \"$0\" \"$1\" || true";
    List<String> shell = List.of("sh", "-c", ask, fifo.toString(), ack.toString());
    return perf.isAlive() && !Commands.run(10, shell).isEmpty();
  }

  /// Returns true if a process has opened a file; perf then listens for commands.
  private static boolean holdsOpen(long pid, Path file) {
    Path folder = Path.of("/proc", Long.toString(pid), "fd");
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder)) {
      for (Path link : links) {
        if (Files.exists(link) && Files.isSameFile(link, file)) {
          return true;
        }
      }
    } catch (IOException e) {
      return false; // it has just ended
    }
    return false;
  }

  private void complain(String message) {
    if (!complained) {
      complained = true;
      System.err.println(message);
    }
  }

  // ---- agent --------------------------------------------------------------------------------

  private boolean attach(Server server, String arguments) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(server.pid()));
      try {
        machine.loadAgent(agentJar().toString(), arguments);
      } finally {
        machine.detach();
      }
      return true;
    } catch (AttachNotSupportedException
        | AgentLoadException
        | AgentInitializationException
        | IOException e) {
      System.err.println(
          server.spec().system() + ": no allocation figure: the agent was refused: " + e);
      return false;
    }
  }

  /// Returns a jar that contains only the agent.
  private Path agentJar() throws IOException {
    Path made = agent;
    if (made != null) {
      return made;
    }
    made = workspace.temporary("agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Agent-Class", AllocationAgent.class.getName());
    try (OutputStream out = Files.newOutputStream(made);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.putNextEntry(new JarEntry("sluice/bench/run/AllocationAgent.class"));
      jar.write(Workspace.resource("run/AllocationAgent.class"));
      jar.closeEntry();
    }
    agent = made;
    return made;
  }
}
