package sluice.bench.packets;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;
import sluice.bench.run.WorkerProcess;

/// `bench xdp`: round trips and rates of datagrams over a veth pair, with the machine's busy time
/// for each; and the checksum's speed. Used by the main thread; needs root.
///
/// ```
///  server's namespace, processor     client's namespace, processor
///  echo, port 7  ── xsA ═══ veth ═══ xsB ── client
///  10.11.0.1 the kernel's, .11 ours  10.11.0.2 the kernel's, .12 ours
/// ```
///
/// Each namespace has a process in Java and one in C (`c_packets.c`); a process that is not being
/// measured waits for its standard input.
public final class PacketBench implements Bench {
  static final String XDP = "sluice/xdp";
  static final String CHANNEL = "jdk/channel";
  private static final String C = "c/";
  private static final String NAME = "xdp";

  private record Entry(String system, Series series) {}

  /// The two processes of a language.
  private record Pair(WorkerProcess server, WorkerProcess client) implements AutoCloseable {
    @Override
    public void close() {
      client.close();
      server.close();
    }

    /// Returns the metrics of one window of a system.
    Map<String, Double> measure(PacketCase one, String system, double seconds) throws IOException {
      boolean packets = !one.way().equals(PacketCase.SUM);
      if (packets) {
        List<String> _ = server.ask("echo " + system + " " + one.way());
      }
      Map<String, Double> metrics = new LinkedHashMap<>();
      try {
        for (String word : client.ask(one.question(system, seconds))) {
          int equals = word.indexOf('=');
          metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
        }
      } finally {
        if (packets) {
          List<String> _ = server.ask("end");
        }
      }
      return metrics;
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "a veth pair between two network namespaces, a core for each end";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (PacketCase one : PacketCase.ALL) {
      text.append(NAME + ": ").append(one.name()).append(" (quick)\n    ");
      text.append(String.join(" ", one.systems())).append('\n');
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    List<PacketCase> selected = selected(options);
    CaseChoice.checkPeers(
        this, options, peer -> selected.stream().anyMatch(one -> one.systems().contains(peer)));
  }

  private static List<PacketCase> selected(Options options) {
    return CaseChoice.of(options, PacketCase.ALL, PacketCase::name, _ -> true);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    if (harness.options().serverCpu() == harness.options().clientCpu()) {
      throw new IOException("both ends on one core measure the scheduler. Fix: --cpus A,B");
    }
    try (MachineLock _ = MachineLock.acquire();
        VethPair veth = VethPair.open();
        Pair java = start(harness, veth, "java", java(harness));
        Pair c = start(harness, veth, "c", inC(harness))) {
      Map<String, Pair> pairs = Map.of("java", java, "c", c);
      for (PacketCase one : selected(harness.options())) {
        if (!wanted(harness.options(), one).isEmpty()) {
          done.accept(measure(harness, one, pairs));
        }
      }
    }
  }

  /// Returns the systems of a case that `--peers` selects.
  private static List<String> wanted(Options options, PacketCase one) {
    List<String> peers = options.peers();
    return one.systems().stream().filter(each -> peers.isEmpty() || peers.contains(each)).toList();
  }

  private static List<String> inC(Harness harness) throws IOException {
    return List.of(harness.workspace().packetPeer().toString());
  }

  private static List<String> java(Harness harness) throws IOException {
    return List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        harness.workspace().classPath(false),
        PacketMain.class.getName());
  }

  private static Pair start(Harness harness, VethPair veth, String language, List<String> program)
      throws IOException {
    Options options = harness.options();
    WorkerProcess server =
        start(harness, veth.serverPid(), options.serverCpu(), language + "-server", program);
    try {
      return new Pair(
          server,
          start(harness, veth.clientPid(), options.clientCpu(), language + "-client", program));
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  private static WorkerProcess start(
      Harness harness, String namespace, int cpu, String name, List<String> program)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("nsenter", "-n", "-t", namespace));
    command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
    command.addAll(program);
    return WorkerProcess.start(command, harness.workspace().temporary("xdp-" + name + ".log"));
  }

  private static CaseResult measure(Harness harness, PacketCase one, Map<String, Pair> pairs)
      throws IOException {
    Options options = harness.options();
    List<Entry> entries = new ArrayList<>();
    Map<String, String> failures = new LinkedHashMap<>();
    for (String system : wanted(options, one)) {
      warm(one, system, pairs, options, failures);
      if (!failures.containsKey(system)) {
        entries.add(new Entry(system, new Series(system, false)));
      }
    }
    if (!entries.isEmpty()) {
      String first = entries.getFirst().system;
      entries.add(new Entry(first, new Series(first, true)));
    }
    double before = harness.regime().probe();
    for (int round = 0; round < options.rounds(); round++) {
      StringBuilder line = new StringBuilder();
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics =
            pair(entry.system, pairs).measure(one, entry.system, options.seconds());
        line.append("  ").append(entry.system).append(' ').append(metrics);
        double after = harness.regime().probe();
        Regime.note(metrics, before, after);
        before = after;
        entry.series.addRound(metrics);
      }
      Progress.say("[%s] round %d/%d:%s".formatted(one.name(), round + 1, options.rounds(), line));
    }
    List<Series> series = entries.stream().map(Entry::series).toList();
    return new CaseResult(NAME, one.name(), series, failures);
  }

  /// Lets the JVM compile the code that the case needs. A system that fails is left out, and
  /// recorded in `failures`.
  private static void warm(
      PacketCase one,
      String system,
      Map<String, Pair> pairs,
      Options options,
      Map<String, String> failures) {
    double seconds = system.startsWith(C) ? options.seconds() : options.warmSeconds();
    try {
      Map<String, Double> metrics = pair(system, pairs).measure(one, system, seconds);
      Progress.say("[%s] warm %s %s".formatted(one.name(), system, metrics));
    } catch (IOException e) {
      failures.put(system, String.valueOf(e.getMessage()));
      Progress.say("FAILED: %s: %s".formatted(system, e.getMessage()));
    }
  }

  private static Pair pair(String system, Map<String, Pair> pairs) throws IOException {
    Pair pair = pairs.get(system.startsWith(C) ? "c" : "java");
    if (pair == null) {
      throw new IOException("no process for " + system);
    }
    return pair;
  }
}
