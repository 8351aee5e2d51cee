package sluice.bench.cases;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import sluice.bench.run.Harness;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;

/// A bench that is a list of cases, each measured on its own. Used by the harness's main thread.
public class CaseBench implements Bench {
  private final String name;
  private final Supplier<List<BenchCase>> cases;

  public CaseBench(String name, Supplier<List<BenchCase>> cases) {
    this.name = name;
    this.cases = cases;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String list() {
    StringBuilder out = new StringBuilder();
    List<String> before = List.of();
    for (BenchCase c : cases.get()) {
      out.append(name).append(": ").append(c.name()).append(c.quick() ? " (quick)" : "");
      List<String> systems = c.peers().names();
      if (!systems.equals(before)) {
        out.append("\n    ").append(String.join(" ", systems));
      }
      before = systems;
      out.append('\n');
    }
    return out.toString();
  }

  /// Returns the cases that the options select.
  public List<BenchCase> selected(Options options) {
    return CaseChoice.of(options, cases.get(), BenchCase::name, BenchCase::quick);
  }

  @Override
  public void check(Options options) {
    List<BenchCase> selected = selected(options);
    CaseChoice.checkPeers(
        this, options, peer -> selected.stream().anyMatch(c -> c.peers().knows(peer)));
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<BenchCase> selected = selected(harness.options());
    Progress.say(Estimate.announce(harness.options(), selected));
    for (BenchCase benchCase : selected) {
      done.accept(new CaseRunner(harness, benchCase).run());
    }
  }
}
