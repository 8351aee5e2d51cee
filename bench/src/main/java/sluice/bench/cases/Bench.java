package sluice.bench.cases;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import sluice.bench.run.Harness;
import sluice.bench.run.Options;

/// A comparison that `sluice bench NAME` runs. Used by the harness's main thread.
public interface Bench {
  String name();

  /// Returns its lines for `--list`: each case, then its systems.
  String list();

  /// Refuses cases and systems that this bench does not have.
  ///
  /// @throws IllegalArgumentException with a message for the user
  void check(Options options);

  /// Measures the selected cases.
  ///
  /// @param done gets each result as soon as it exists, so that it is kept if a later case fails
  void run(Harness harness, Consumer<CaseResult> done) throws IOException;

  /// Returns the path between the two sides, for results.
  default String where() {
    return "loopback, one server core, one client core";
  }

  /// Returns the path between the two sides with these options.
  default String where(Options options) {
    return where();
  }

  /// Returns the plot of its results as SVG.
  ///
  /// @param subtitle machine and date
  default String plot(List<CaseResult> results, String subtitle) {
    return SvgPlot.render(name(), results, subtitle);
  }
}
