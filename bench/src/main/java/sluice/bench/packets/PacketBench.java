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
import sluice.bench.run.Series;
import sluice.bench.run.WorkerProcess;

/// `bench xdp`: round trips and rates of datagrams over a veth pair. Used by the main thread; needs
/// root.
///
/// ```
///  process A (unshare -n)            process B (unshare -n)
///  echo, port 7  ── xsA ═══ veth ═══ xsB ── client
///  10.11.0.1 the kernel's, .11 ours  10.11.0.2 the kernel's, .12 ours
/// ```
///
/// The ends in C (`c_packets.c`) are processes of the same two namespaces; what is not measured
/// waits for its standard input.
public final class PacketBench implements Bench {
  static final String XDP = "sluice/xdp";
  static final String CHANNEL = "jdk/channel";
  static final String C = "c/";
  static final List<String> SYSTEMS = List.of(XDP, "c/xdp", CHANNEL, "c/recvmmsg", "c/io_uring");
  private static final String NAME = "xdp";

  private record Case(String name, int bytes, int window) {}

  private record Entry(String system, Series series) {}

  /// The two processes of a language.
  private record Pair(WorkerProcess server, WorkerProcess client) {}

  private static final List<Case> CASES =
      List.of(
          new Case("round trip 64 B", 64, 1),
          new Case("round trip 1400 B", 1400, 1),
          new Case("echo 64 B, 32 in flight", 64, 32));

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "a veth pair between two network namespaces, both ends spin";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (Case one : CASES) {
      text.append(NAME + ": ").append(one.name).append(" (quick)\n    ");
      text.append(String.join(" ", SYSTEMS)).append('\n');
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    CaseChoice.checkPeers(this, options, SYSTEMS::contains);
    List<Case> _ = selected(options);
  }

  private static List<Case> selected(Options options) {
    return CaseChoice.of(options, CASES, Case::name, _ -> true);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    try (MachineLock _ = MachineLock.acquire();
        WorkerProcess server = start(harness, "server");
        WorkerProcess client = start(harness, "client")) {
      String serverPid = server.ask("pid").getFirst();
      String clientPid = client.ask("pid").getFirst();
      VethPair.connect(serverPid, clientPid);
      try (WorkerProcess serverInC = startInC(harness, "server", serverPid);
          WorkerProcess clientInC = startInC(harness, "client", clientPid)) {
        Pair java = new Pair(server, client);
        Pair c = new Pair(serverInC, clientInC);
        for (Case one : selected(harness.options())) {
          done.accept(measure(harness.options(), one, java, c));
        }
      }
    }
  }

  private static WorkerProcess startInC(Harness harness, String side, String pid)
      throws IOException {
    String program = harness.workspace().packetPeer().toString();
    return WorkerProcess.start(
        List.of("nsenter", "-n", "-t", pid, program),
        harness.workspace().temporary("xdp-c-" + side + ".log"));
  }

  private static WorkerProcess start(Harness harness, String side) throws IOException {
    List<String> command =
        List.of(
            "unshare",
            "-n",
            System.getProperty("java.home") + "/bin/java",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            harness.workspace().classPath(false),
            PacketMain.class.getName());
    return WorkerProcess.start(command, harness.workspace().temporary("xdp-" + side + ".log"));
  }

  private static CaseResult measure(Options options, Case one, Pair java, Pair c)
      throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String system : SYSTEMS) {
      if (options.peers().isEmpty() || options.peers().contains(system)) {
        entries.add(new Entry(system, new Series(system, false)));
      }
    }
    String first = entries.getFirst().system;
    entries.add(new Entry(first, new Series(first, true)));
    for (int round = 0; round < options.rounds(); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        Pair pair = entry.system.startsWith(C) ? c : java;
        List<String> _ = pair.server.ask("echo " + entry.system);
        String asked =
            "measure %s %d %d %d"
                .formatted(
                    entry.system, one.bytes, one.window, Math.round(options.seconds() * 1e3));
        for (String word : new ArrayList<>(pair.client.ask(asked))) {
          int equals = word.indexOf('=');
          metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
        }
        List<String> _ = pair.server.ask("end");
        entry.series.addRound(metrics);
        Progress.say(
            "[xdp] %s: round %d/%d %-12s %s"
                .formatted(one.name, round + 1, options.rounds(), entry.system, metrics));
      }
    }
    return new CaseResult(NAME, one.name, entries.stream().map(Entry::series).toList(), Map.of());
  }
}
