package sluice.bench.packets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadResult;
import sluice.bench.run.MachineLock;
import sluice.bench.run.NfsLoad;
import sluice.bench.run.NfsPeers;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;
import sluice.bench.run.ServerSpec;

/// `bench nfs --udp-stack`: getattr over UDP, answered through AF_XDP and through the kernel's
/// sockets, on one veth pair. Used by the harness's main thread; needs root.
///
/// Both servers run all the time, in the server's namespace and on the server's processor; the idle
/// one waits for its descriptor. The generator uses the kernel's sockets.
public final class StackGetattr {
  /// The path between the two sides, for results.
  public static final String WHERE =
      "a veth pair between two network namespaces, one server core, one client core";

  static final String XDP = "sluice/xdp";
  static final String KERNEL = "sluice/kernel-udp";
  private static final String BENCH = "nfs";
  private static final int PORT = 2049;
  private static final int[] IN_FLIGHT = {1, 16};
  private static final int START_SECONDS = 60;

  /// A server, and the address at which it answers over UDP.
  private record Running(String system, Process process, String host, int port)
      implements AutoCloseable {
    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      Cleanup.closed(this);
    }
  }

  private record Entry(Running server, Series series) {}

  private StackGetattr() {}

  /// Measures the cases, and passes each result on.
  public static void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Path root = NfsPeers.folder(harness.workspace().cache());
    String stack = "xdp:" + VethPair.SERVER_LINK + ",10.11.0.11/24";
    try (MachineLock _ = MachineLock.acquire();
        VethPair pair = VethPair.open();
        Running xdp = start(harness, pair, root, new Way(XDP, PORT, "10.11.0.11", stack));
        Running kernel = start(harness, pair, root, new Way(KERNEL, PORT + 1, "10.11.0.1", null))) {
      for (int depth : IN_FLIGHT) {
        done.accept(measure(harness, pair, List.of(xdp, kernel), depth));
      }
    }
  }

  /// The way to reach a server.
  ///
  /// @param stack the value of `--udp-stack`; null for the kernel's
  private record Way(String system, int port, String host, @Nullable String stack) {}

  private static Running start(Harness harness, VethPair pair, Path root, Way way)
      throws IOException {
    List<String> options = new ArrayList<>(List.of("--bind", "10.11.0.1"));
    String stack = way.stack;
    if (stack != null) {
      options.addAll(List.of("--udp-stack", stack));
    }
    ServerSpec spec = NfsPeers.ours(harness.systems(), way.system, root, way.port, options);
    List<String> command = new ArrayList<>(List.of("nsenter", "-n", "-t", pair.serverPid()));
    String cpu = Integer.toString(harness.options().serverCpu());
    command.addAll(List.of("taskset", "-c", cpu));
    command.addAll(spec.command());
    Path log = harness.workspace().temporary("stack-" + way.port + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(spec.environment());
    Running made = Cleanup.open(() -> new Running(way.system, builder.start(), way.host, way.port));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!Files.readString(log).contains("exporting ")) {
      if (!made.process.isAlive() || System.nanoTime() > deadline) {
        made.close();
        throw new IOException(way.system + " did not start:\n" + Files.readString(log));
      }
      Commands.sleepMillis(20);
    }
    return made;
  }

  private static CaseResult measure(
      Harness harness, VethPair pair, List<Running> servers, int depth) throws IOException {
    Options options = harness.options();
    String name = "getattr udp veth c1 d" + depth;
    List<Entry> entries = new ArrayList<>();
    for (Running each : servers) {
      entries.add(new Entry(each, new Series(each.system, false)));
      var _ = ask(harness, pair, each, depth, options.warmSeconds());
    }
    entries.add(new Entry(servers.getFirst(), new Series(servers.getFirst().system, true)));
    double before = harness.regime().probe();
    for (int round = 0; round < options.rounds(); round++) {
      StringBuilder line = new StringBuilder();
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics =
            ask(harness, pair, entry.server, depth, options.seconds()).metrics(0);
        line.append("  ").append(entry.series.label()).append(' ').append(metrics);
        double after = harness.regime().probe();
        Regime.note(metrics, before, after);
        before = after;
        entry.series.addRound(metrics);
      }
      Progress.say("[%s] round %d/%d:%s".formatted(name, round + 1, options.rounds(), line));
    }
    List<Series> series = entries.stream().map(Entry::series).toList();
    return new CaseResult(BENCH, name, series, new LinkedHashMap<>());
  }

  private static LoadResult ask(
      Harness harness, VethPair pair, Running server, int depth, double seconds)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("nsenter", "-n", "-t", pair.clientPid()));
    command.add(harness.workspace().nfsLoadGenerator().toString());
    command.addAll(List.of("--host", server.host, "--port", Integer.toString(server.port)));
    command.addAll(NfsLoad.of("getattr", 0).overUdp().options());
    command.addAll(List.of("--connections", "1", "--depth", Integer.toString(depth)));
    command.addAll(List.of("--warm", "0.1"));
    command.addAll(List.of("--time", Double.toString(seconds), "--snapshot", "/proc/stat"));
    command.addAll(List.of("--cpu", Integer.toString(harness.options().clientCpu())));
    return LoadResult.parse(Commands.run((int) seconds + START_SECONDS, command));
  }
}
