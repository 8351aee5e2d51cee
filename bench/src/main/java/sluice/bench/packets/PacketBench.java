package sluice.bench.packets;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
public final class PacketBench implements Bench {
  static final String XDP = "sluice/xdp";
  static final String CHANNEL = "jdk/channel";
  static final String SERVER_LINK = "xsA";
  static final String CLIENT_LINK = "xsB";
  private static final String NAME = "xdp";

  private record Case(String name, int bytes, int window) {}

  private record Entry(String system, Series series) {}

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
      text.append(XDP + " " + CHANNEL + "\n");
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    if (!options.peers().isEmpty()) {
      throw new IllegalArgumentException("xdp always compares the same systems\n" + list());
    }
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
      connect(server.ask("pid").getFirst(), client.ask("pid").getFirst());
      for (Case one : selected(harness.options())) {
        done.accept(measure(harness.options(), one, server, client));
      }
    }
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

  private static void connect(String server, String client) throws IOException {
    String in = "nsenter -n -t ";
    String link = " type veth peer name " + CLIENT_LINK + " numrxqueues 1 numtxqueues 1 netns ";
    run(
        in
            + server
            + " ip link add "
            + SERVER_LINK
            + " numrxqueues 1 numtxqueues 1"
            + link
            + client);
    run(in + server + " ip addr add 10.11.0.1/24 dev " + SERVER_LINK);
    run(in + client + " ip addr add 10.11.0.2/24 dev " + CLIENT_LINK);
    run(in + server + " ip link set " + SERVER_LINK + " up");
    run(in + client + " ip link set " + CLIENT_LINK + " up");
  }

  private static void run(String command) throws IOException {
    try {
      Process process =
          new ProcessBuilder(command.split(" ", -1)).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + said + "Fix: run it as root");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static CaseResult measure(
      Options options, Case one, WorkerProcess server, WorkerProcess client) throws IOException {
    List<Entry> entries =
        List.of(
            new Entry(XDP, new Series(XDP, false)),
            new Entry(XDP, new Series(XDP, true)),
            new Entry(CHANNEL, new Series(CHANNEL, false)));
    for (int round = 0; round < options.rounds(); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        List<String> _ = server.ask("echo " + entry.system);
        String asked =
            "measure %s %d %d %d"
                .formatted(
                    entry.system, one.bytes, one.window, Math.round(options.seconds() * 1e3));
        for (String word : new ArrayList<>(client.ask(asked))) {
          int equals = word.indexOf('=');
          metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
        }
        List<String> _ = server.ask("end");
        entry.series.addRound(metrics);
        Progress.say(
            "[xdp] %s: round %d/%d %-12s %s"
                .formatted(one.name, round + 1, options.rounds(), entry.system, metrics));
      }
    }
    return new CaseResult(NAME, one.name, entries.stream().map(Entry::series).toList(), Map.of());
  }
}
