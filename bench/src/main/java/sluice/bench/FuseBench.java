package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.cases.WarmUp;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;
import sluice.bench.run.Systems;

/// Measures one client of a FUSE mount, one request at a time and past the kernel's caches: Sluice
/// with one, two and four threads, beside a minimal C server. Used by the main thread.
///
/// All are mounted at once and measured in turn, in an order that is reversed each round; the first
/// system runs twice, as the control. Client and server share a core: waking an idle core for each
/// request costs several times as much as the answer, and would hide every other difference. In the
/// cases named `free` the kernel chooses the cores, as it does for users.
final class FuseBench implements Bench {
  private static final String NAME = "fuse";
  private static final List<String> SYSTEMS = List.of("sluice/1", "c", "sluice/2", "sluice/4");

  /// The system that needs a kernel with FUSE over io_uring switched on.
  private static final String RING = "sluice/ring";

  /// A case.
  ///
  /// @param bytes of a read; 0 for attributes
  /// @param free true if the kernel chooses the cores of client and server
  private record Case(String name, int bytes, boolean free) {}

  private static final List<Case> CASES =
      List.of(
          new Case("stat", 0, false),
          new Case("read 4KB", 4 << 10, false),
          new Case("read 64KB", 64 << 10, false),
          new Case("free stat", 0, true),
          new Case("free read 4KB", 4 << 10, true),
          new Case("free read 64KB", 64 << 10, true));

  private record Entry(String system, boolean control, FuseMounted mounted) {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "a FUSE mount, client and server on one core, and on all";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (Case one : CASES) {
      text.append(NAME + ": ").append(one.name).append(one.free ? "\n    " : " (quick)\n    ");
      text.append(String.join(" ", SYSTEMS)).append(" (" + RING + ")\n");
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    CaseChoice.checkPeers(this, options, peer -> SYSTEMS.contains(peer) || peer.equals(RING));
    List<Case> _ = selected(options);
  }

  private static List<Case> selected(Options options) {
    return CaseChoice.of(options, CASES, Case::name, one -> !one.free);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Options options = harness.options();
    List<String> asked = options.peers().isEmpty() ? SYSTEMS : options.peers();
    List<Case> cases = selected(options);
    double seconds = options.warmSeconds() + options.rounds() * (options.seconds() + 0.1);
    Progress.say(
        String.format(
            Locale.ROOT,
            "%d cases, %d rounds: about %.0f s",
            cases.size(),
            options.rounds(),
            2 * asked.size() + cases.size() * (asked.size() + 1) * seconds));
    harness.keepOffServerCpu();
    try (MachineLock _ = MachineLock.acquire()) {
      for (boolean free : new boolean[] {false, true}) {
        List<Case> some = cases.stream().filter(c -> c.free == free).toList();
        if (!some.isEmpty()) {
          measure(harness, asked, some, done);
        }
      }
    }
  }

  /// @param cases either all free, or none
  private static void measure(
      Harness harness, List<String> asked, List<Case> cases, Consumer<CaseResult> done)
      throws IOException {
    List<Entry> entries = new ArrayList<>();
    String cpus = cpus(harness, cases.getFirst());
    try {
      for (String system : asked) {
        entries.add(new Entry(system, false, FuseMounted.open(harness, system, 0, cpus)));
        if (entries.size() == 1) {
          entries.add(new Entry(system, true, FuseMounted.open(harness, system, 1, cpus)));
        }
      }
      for (Case one : cases) {
        done.accept(measure(harness, one, entries));
      }
    } finally {
      entries.forEach(entry -> entry.mounted.close());
    }
  }

  private static String cpus(Harness harness, Case one) throws IOException {
    return one.free
        ? Files.readString(Path.of("/sys/devices/system/cpu/online")).strip()
        : Integer.toString(harness.options().serverCpu());
  }

  private static CaseResult measure(Harness harness, Case one, List<Entry> entries)
      throws IOException {
    Options options = harness.options();
    Map<Entry, Series> series = new LinkedHashMap<>();
    for (Entry entry : entries) {
      Progress.say("[fuse] %s: warming %s".formatted(one.name, entry.system));
      warm(harness, one, entry);
      series.put(entry, new Series(entry.system, entry.control));
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics = window(harness, one, entry);
        Series target = series.get(entry);
        if (target != null) {
          target.addRound(metrics);
        }
        Progress.say(
            "[fuse] %s: round %d/%d %-14s %,9.0f ns/request %,11.0f requests/s"
                .formatted(
                    one.name,
                    round + 1,
                    options.rounds(),
                    entry.system + (entry.control ? " (A/A)" : ""),
                    metrics.getOrDefault("cpu_ns_per_req", Double.NaN),
                    metrics.getOrDefault("rps", Double.NaN)));
      }
    }
    return new CaseResult(NAME, one.name, List.copyOf(series.values()), Map.of());
  }

  /// Warms up until the compilers rest; see [WarmUp].
  private static void warm(Harness harness, Case one, Entry entry) throws IOException {
    double[] _ = ask(harness, one, entry, harness.options().warmSeconds());
    if (harness.options().quick() || !Systems.isOurs(entry.system)) {
      return;
    }
    long before = WarmUp.compilerNanos(entry.mounted.pid());
    for (int second = 0; second < WarmUp.LONGEST_SECONDS; second++) {
      double[] _ = ask(harness, one, entry, 1);
      long after = WarmUp.compilerNanos(entry.mounted.pid());
      if (after - before < WarmUp.RESTING_NANOS) {
        return;
      }
      before = after;
    }
    Progress.say(entry.system + ": still compiling after a minute");
  }

  private static Map<String, Double> window(Harness harness, Case one, Entry entry)
      throws IOException {
    long cpu = entry.mounted.cpuNanos();
    double[] answers = ask(harness, one, entry, harness.options().seconds());
    Map<String, Double> metrics = new LinkedHashMap<>();
    metrics.put("cpu_ns_per_req", (entry.mounted.cpuNanos() - cpu) / answers[0]);
    metrics.put("rps", answers[0] / answers[1]);
    if (one.bytes > 0) {
      metrics.put("mb_per_s", answers[0] * one.bytes / answers[1] / 1e6);
    }
    return metrics;
  }

  /// @return operations, seconds
  private static double[] ask(Harness harness, Case one, Entry entry, double seconds)
      throws IOException {
    List<String> command =
        List.of(
            "taskset",
            "-c",
            cpus(harness, one),
            harness.workspace().fuseClient().toString(),
            one.bytes == 0 ? "stat" : Integer.toString(one.bytes),
            entry.mounted.file().toString(),
            Double.toString(seconds));
    String[] words = Commands.run((int) seconds + 30, command).strip().split(" ", -1);
    return new double[] {Double.parseDouble(words[0]), Double.parseDouble(words[1])};
  }
}
