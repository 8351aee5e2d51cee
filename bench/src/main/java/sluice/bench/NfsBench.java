package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.CaseRunner;
import sluice.bench.cases.Estimate;
import sluice.bench.cases.SvgPlot;
import sluice.bench.cases.TimelinePlot;
import sluice.bench.cases.WarmUp;
import sluice.bench.packets.StackGetattr;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadResult;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;
import sluice.bench.run.Server;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;
import sluice.bench.run.ThreadSwitches;
import sluice.bench.run.Timeline;

/// `sluice bench nfs`: the cases of [NfsCases] in windows, and those named `timeline` over time.
/// Used by the harness's main thread.
final class NfsBench extends CaseBench {
  private static final int SLICE_MILLIS = 100;

  NfsBench() {
    super("nfs", NfsCases::all);
  }

  @Override
  public String where(Options options) {
    return options.udpStack() ? StackGetattr.WHERE : where();
  }

  @Override
  public void check(Options options) {
    if (!options.udpStack()) {
      super.check(options);
    } else if (!options.peers().isEmpty() || !options.cases().isEmpty()) {
      throw new IllegalArgumentException("--udp-stack always compares the same two systems");
    }
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Options options = harness.options();
    if (options.udpStack()) {
      StackGetattr.run(harness, done);
      return;
    }
    List<BenchCase> selected = selected(options);
    List<BenchCase> overTime = selected.stream().filter(NfsCases::isOverTime).toList();
    List<BenchCase> windows = selected.stream().filter(c -> !overTime.contains(c)).toList();
    if (!windows.isEmpty()) {
      Progress.say(Estimate.announce(options, windows));
    }
    if (!overTime.isEmpty()) {
      Progress.say(
          "%d over time, %.0f s for each system"
              .formatted(overTime.size(), options.overTimeSeconds() + options.warmSeconds() + 4));
    }
    for (BenchCase one : windows) {
      done.accept(new CaseRunner(harness, one).run());
    }
    for (BenchCase one : overTime) {
      done.accept(overTime(harness, one));
    }
  }

  /// Runs Sluice once over time, or each of the requested systems.
  private static CaseResult overTime(Harness harness, BenchCase one) throws IOException {
    harness.keepOffServerCpu();
    Options options = harness.options();
    List<String> systems = options.peers().stream().filter(one.peers()::knows).toList();
    if (systems.isEmpty()) {
      systems = one.peers().names().subList(0, 1);
    }
    Path root = one.site().root(harness.sites());
    List<Series> series = new ArrayList<>();
    Map<String, String> failures = new LinkedHashMap<>();
    for (String system : systems) {
      try {
        series.add(overTime(harness, one, system, root));
      } catch (IOException e) {
        String why = String.valueOf(e.getMessage());
        Progress.say("FAILED: %s".formatted(why));
        failures.put(system, why);
      }
    }
    return new CaseResult(options.bench(), one.name(), series, failures);
  }

  private static Series overTime(Harness harness, BenchCase one, String system, Path root)
      throws IOException {
    Options options = harness.options();
    Progress.say("[nfs] %s: warming %s".formatted(one.name(), system));
    ServerSpec spec = one.peers().spec(harness.systems(), system, root);
    Path collections = harness.workspace().temporary("gc-" + spec.port() + ".log");
    if (spec.java()) {
      // The log's clock is the load generator's: CLOCK_MONOTONIC.
      spec = Systems.withFlags(spec, "-Xlog:gc:file=" + collections + ":timenanos");
    }
    Path log = harness.workspace().temporary("server-" + spec.port() + ".log");
    try (Server server = Server.start(spec, options.serverCpu(), log)) {
      LoadSpec load = one.load().of(server, root, harness);
      new WarmUp(harness.generator()).run(server, load, options.warmSeconds());
      Progress.say(
          "[nfs] %s: %s for %.0f s".formatted(one.name(), system, options.overTimeSeconds()));
      LoadGenerator.Run run =
          LoadGenerator.Run.of(0.2, options.overTimeSeconds()).sliced(SLICE_MILLIS);
      ThreadSwitches switches = ThreadSwitches.start(server.pids(), SLICE_MILLIS);
      LoadResult result;
      try (switches) {
        result = harness.generator().run(server, load, run);
      }
      String collected = Files.exists(collections) ? Files.readString(collections) : "";
      Series series = new Series(system, false);
      series.keeps(one.peers().durability(system));
      series.addRound(result.metrics(0));
      series.over(Timeline.of(result, switches.samples(), collected));
      return series;
    }
  }

  /// Draws the runs over time, and the bars below them.
  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    List<CaseResult> overTime = results.stream().filter(NfsBench::hasTimeline).toList();
    List<CaseResult> bars = results.stream().filter(r -> !overTime.contains(r)).toList();
    return overTime.isEmpty()
        ? SvgPlot.render(name(), bars, subtitle)
        : TimelinePlot.above(name(), subtitle, overTime, bars);
  }

  private static boolean hasTimeline(CaseResult result) {
    return result.series().stream().anyMatch(series -> series.timeline() != null);
  }
}
