package sluice.bench.domain;

import java.io.IOException;
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

/// A bench of small pieces of work, each system in its own process: rounds in turn, in both orders,
/// with a second copy of the first system as control. Used by the harness's main thread.
abstract class WorkBench implements Bench {
  private final String name;
  private final List<WorkCase> cases;

  WorkBench(String name, List<WorkCase> cases) {
    this.name = name;
    this.cases = cases;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String where() {
    return "inside one process";
  }

  @Override
  public String list() {
    StringBuilder out = new StringBuilder();
    for (WorkCase each : cases) {
      out.append(name).append(": ").append(each.name()).append(each.quick() ? " (quick)" : "");
      out.append("\n    ").append(String.join(" ", each.systems())).append('\n');
    }
    return out.toString();
  }

  private List<WorkCase> selected(Options options) {
    return CaseChoice.of(options, cases, WorkCase::name, WorkCase::quick);
  }

  @Override
  public void check(Options options) {
    List<WorkCase> selected = selected(options);
    CaseChoice.checkPeers(
        this, options, peer -> selected.stream().anyMatch(each -> each.systems().contains(peer)));
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    for (WorkCase each : selected(harness.options())) {
      done.accept(run(harness, each));
    }
  }

  private CaseResult run(Harness harness, WorkCase work) throws IOException {
    Options options = harness.options();
    Map<Series, WorkProcess> running = new LinkedHashMap<>();
    Map<String, String> failures = new LinkedHashMap<>();
    try {
      for (String system : work.systems()) {
        if (options.peers().isEmpty() || options.peers().contains(system)) {
          start(harness, work, new Series(system, false), running, failures);
        }
      }
      if (!running.isEmpty()) {
        String first = running.keySet().iterator().next().label();
        start(harness, work, new Series(first, true), running, failures);
      }
      for (int round = 0; round < options.rounds(); round++) {
        round(harness, work, round, running);
      }
    } finally {
      running.values().forEach(WorkProcess::close);
    }
    return new CaseResult(name, work.name(), List.copyOf(running.keySet()), failures);
  }

  private void start(
      Harness harness,
      WorkCase work,
      Series series,
      Map<Series, WorkProcess> running,
      Map<String, String> failures) {
    Progress.say("[%s] warming %s".formatted(work.name(), series.label()));
    try (MachineLock _ = MachineLock.acquire()) {
      WorkProcess process = WorkProcess.start(harness, name, work.name(), series.label());
      running.put(series, process);
      process.measure(harness.options().warmSeconds());
    } catch (IOException e) {
      WorkProcess failed = running.remove(series);
      if (failed != null) {
        failed.close();
      }
      failures.put(series.label(), String.valueOf(e.getMessage()));
      Progress.say("FAILED: " + e.getMessage());
    }
  }

  private static void round(
      Harness harness, WorkCase work, int round, Map<Series, WorkProcess> running)
      throws IOException {
    StringBuilder line = new StringBuilder();
    for (Series series : Rounds.inTurn(running.keySet(), round)) {
      WorkProcess process = running.get(series);
      if (process == null) {
        continue;
      }
      try (MachineLock _ = MachineLock.acquire()) {
        double before = harness.regime().probe();
        Map<String, Double> metrics = process.measure(harness.options().seconds());
        Regime.note(metrics, before, harness.regime().probe());
        line.append("  %s %.1f".formatted(series.label(), metrics.get(WorkCase.METRIC)));
        series.addRound(metrics);
      }
    }
    Progress.say(
        "[%s] round %d/%d ns:%s"
            .formatted(work.name(), round + 1, harness.options().rounds(), line));
  }
}
