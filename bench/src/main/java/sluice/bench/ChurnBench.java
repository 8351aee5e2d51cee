package sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

/// `sluice bench churn`: short-lived selectors and connections, beside 0, 200 and 1000 idle
/// threads. All systems are started, then work in turns, in an order that is reversed each round;
/// the first system runs twice, as the control. Used by the main thread.
final class ChurnBench implements Bench {
  private static final String NAME = "churn";
  private static final List<String> SYSTEMS =
      List.of("sluice/completion", "sluice/readiness", "jdk-epoll");
  private static final List<Integer> THREADS = List.of(0, 200, 1000);

  private record Case(String name, String work, int threads) {}

  private record Entry(Series series, ChurnProcess process) {}

  private static List<Case> all() {
    List<Case> cases = new ArrayList<>();
    for (String work : List.of(ChurnWork.SELECTOR, ChurnWork.CONNECTION, ChurnWork.BOTH)) {
      for (int threads : THREADS) {
        cases.add(new Case(work + " t" + threads, work, threads));
      }
    }
    return cases;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "loopback, server and client in one process, on all cores";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (Case one : all()) {
      text.append(NAME + ": ")
          .append(one.name)
          .append(one.threads == 0 ? " (quick)\n    " : "\n    ");
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
    return CaseChoice.of(options, all(), Case::name, one -> one.threads == 0);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Options options = harness.options();
    List<String> asked = options.peers().isEmpty() ? SYSTEMS : options.peers();
    List<Case> cases = selected(options);
    double each = 1 + options.warmSeconds() + options.rounds() * options.seconds();
    Progress.say(
        String.format(
            Locale.ROOT,
            "%d cases, %d rounds: about %.0f s",
            cases.size(),
            options.rounds(),
            cases.size() * (asked.size() + 1) * each));
    try (MachineLock _ = MachineLock.acquire()) {
      for (Case one : cases) {
        done.accept(measure(harness, one, asked));
      }
    }
  }

  private static CaseResult measure(Harness harness, Case one, List<String> asked)
      throws IOException {
    List<String> systems = new ArrayList<>(asked);
    systems.add(asked.getFirst()); // the control, at the far end of the order
    List<Entry> entries = new ArrayList<>();
    try {
      for (int i = 0; i < systems.size(); i++) {
        String system = systems.get(i);
        Progress.say("[churn] %s: warming %s".formatted(one.name, system));
        ChurnProcess process = ChurnProcess.open(harness, system, one.work, one.threads);
        entries.add(new Entry(new Series(system, i == asked.size()), process));
        Map<String, Double> _ = process.work(harness.options().warmSeconds());
      }
      rounds(harness.options(), one, entries);
    } finally {
      entries.forEach(entry -> entry.process.close());
    }
    List<Series> series = entries.stream().map(Entry::series).toList();
    return new CaseResult(NAME, one.name, series, Map.of());
  }

  private static void rounds(Options options, Case one, List<Entry> entries) throws IOException {
    for (int round = 0; round < options.rounds(); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics = entry.process.work(options.seconds());
        entry.series.addRound(metrics);
        Progress.say(
            "[churn] %s: round %d/%d %-24s %,9.0f ns/operation %,11.0f operations/s"
                .formatted(
                    one.name,
                    round + 1,
                    options.rounds(),
                    entry.series.label() + (entry.series.control() ? " (A/A)" : ""),
                    metrics.getOrDefault("cpu_ns_per_req", Double.NaN),
                    metrics.getOrDefault("rps", Double.NaN)));
      }
    }
  }
}
