package sluice.bench.cases;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import sluice.bench.run.Harness;
import sluice.bench.run.Options;

/// A comparison that `sluice bench NAME` runs. Used by the harness's main thread.
public interface Bench {
  String name();

  /// Its lines for `--list`: each case, then its systems.
  String list();

  /// Refuses cases and systems that this bench does not have.
  ///
  /// @throws IllegalArgumentException with what is wrong, for the user to read
  void check(Options options);

  /// Measures what the options select.
  ///
  /// @param done gets each result as soon as it is there, so that it is kept if a later one fails
  void run(Harness harness, Consumer<CaseResult> done) throws IOException;

  /// What lies between the two sides, for results.
  default String where() {
    return "loopback, one server core, one client core";
  }

  /// The same for what the options select.
  default String where(Options options) {
    return where();
  }

  /// The plot of its results as SVG.
  ///
  /// @param subtitle machine and date
  default String plot(List<CaseResult> results, String subtitle) {
    return SvgPlot.render(name(), results, subtitle);
  }
}
