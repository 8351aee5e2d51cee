package sluice.bench.cases;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadResult;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Options;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Progress;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;
import sluice.bench.run.Server;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;

/// Runs one case: starts all its servers, warms each up, measures them in turns in an order that is
/// reversed each round, then counts calls and allocations. Used by the main thread.
public final class CaseRunner {
  private static final double RUN_WARM_SECONDS = 0.15;

  /// The additional warm-up for each open connection: the server also closes those of the run
  /// before.
  private static final double WARM_SECONDS_PER_CONNECTION = 60e-6;

  private static final double CHECK_SECONDS = 0.4;

  /// The limit for repeating rounds until half of the requested number are pairs, as a multiple of
  /// that number.
  private static final int MOST = 3;

  private static final String NO_IDLE = " idle=0";

  private final Harness harness;
  private final BenchCase benchCase;
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final List<Entry> entries = new ArrayList<>();
  private final List<Counter> counters = new ArrayList<>();

  /// A server under one load.
  private record Entry(Server server, LoadSpec load, Series series) {}

  public CaseRunner(Harness harness, BenchCase benchCase) {
    this.harness = harness;
    this.benchCase = benchCase;
  }

  /// Counts in an additional run of its own.
  public interface Counter {
    Map<String, Double> count(Server server, LoadSpec load) throws IOException;
  }

  /// Adds the results of a counter to the metrics of each system.
  public CaseRunner alsoCounting(Counter counter) {
    counters.add(counter);
    return this;
  }

  public CaseResult run() throws IOException {
    harness.keepOffServerCpu();
    List<Server> servers = new ArrayList<>();
    try {
      Path root = benchCase.site().root(harness.sites());
      for (String system : systems()) {
        prepare(system, root, false, servers);
      }
      if (!entries.isEmpty()) {
        // At the other end of the order: beside its twin it would share each regime with it.
        prepare(entries.getFirst().server.spec().system(), root, true, servers);
      }
      rounds();
      for (Entry entry : List.copyOf(entries)) {
        try {
          count(entry);
        } catch (IOException e) {
          fail(entry, e);
        }
      }
    } finally {
      servers.forEach(Server::close);
    }
    List<Series> series = entries.stream().map(Entry::series).toList();
    return new CaseResult(harness.options().bench(), benchCase.name(), series, failures);
  }

  private List<String> systems() {
    List<String> systems = new ArrayList<>();
    for (String system : selected()) {
      if (!benchCase.peers().knows(system)) {
        continue;
      }
      String missing = Systems.missing(system);
      if (missing == null) {
        systems.add(system);
      } else {
        Progress.say("not measured: %s".formatted(missing));
        failures.put(system, missing);
      }
    }
    return systems;
  }

  private List<String> selected() {
    List<String> asked = harness.options().peers();
    if (!asked.isEmpty()) {
      return asked;
    }
    List<String> systems = benchCase.peers().defaults(harness.options().quick());
    if (harness.options().quick() && benchCase.idle() > 0) {
      // Each is measured twice, with its memory, so fewer fit into a minute.
      return systems.stream().filter(s -> !s.endsWith("-raw") && !s.equals("h2o")).toList();
    }
    return systems;
  }

  /// Starts and warms up one system; a failure removes it from the case and is reported.
  private void prepare(String system, Path root, boolean control, List<Server> servers) {
    Options options = harness.options();
    try {
      Progress.say("[%s] %s: warming %s".formatted(options.bench(), benchCase.name(), system));
      ServerSpec spec = benchCase.peers().spec(harness.systems(), system, root);
      if (benchCase.idle() > 0) {
        spec = Systems.withFixedHeap(spec);
      }
      Path log = harness.workspace().temporary("server-" + spec.port() + ".log");
      Server server = Server.start(spec, options.serverCpu(), log);
      servers.add(server);
      LoadSpec load = benchCase.load().of(server, root, harness);
      LoadSpec busy = load.withIdle(0);
      new WarmUp(harness.generator()).run(server, busy, options.warmSeconds());
      if (load.mix() != null) {
        harness
            .generator()
            .run(server, busy, LoadGenerator.Run.of(0, CHECK_SECONDS).checkingBodies());
      }
      Series series = new Series(system, control);
      series.keeps(benchCase.peers().durability(system));
      if (benchCase.idle() > 0 && !control) {
        // Before the first idle connections: a server need not give memory back.
        series.putOnce(new IdleMemory(harness).measure(server, load));
      }
      entries.add(new Entry(server, load, series));
      if (benchCase.idle() > 0 && !control) {
        entries.add(new Entry(server, busy, new Series(system + NO_IDLE, false)));
      }
    } catch (IOException e) {
      String why = String.valueOf(e.getMessage());
      Progress.say("FAILED: %s".formatted(why));
      failures.put(system, why);
    }
  }

  private void rounds() {
    int rounds = harness.options().rounds();
    for (int round = 0; round < rounds || (round < MOST * rounds && lacksPairs()); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        try {
          measure(entry, round + 1);
        } catch (IOException e) {
          fail(entry, e);
        }
      }
    }
  }

  /// Returns true if the machine's speed changed so often that most rounds are not pairs.
  private boolean lacksPairs() {
    int wanted = Math.max(PairedRatio.FEWEST, harness.options().rounds() / 2);
    return entries.stream()
        .anyMatch(entry ->
            CaseResult.inOneRegime(entries.getFirst().series, entry.series).length < wanted);
  }

  private void measure(Entry entry, int round) throws IOException {
    int open = entry.load.connections() + entry.load.idle();
    double warm = RUN_WARM_SECONDS + WARM_SECONDS_PER_CONNECTION * open;
    LoadGenerator.Run run = LoadGenerator.Run.of(warm, harness.options().seconds());
    double before = harness.regime().probe();
    LoadResult result = harness.generator().run(entry.server, entry.load, run);
    Map<String, Double> metrics = result.metrics(benchCase.bytesPerRequest());
    Regime.note(metrics, before, harness.regime().probe());
    entry.series.addRound(metrics);
    Progress.say(
        "[%s] %s: round %d/%d %-22s %,9.0f ns/request %,11.0f requests/s"
            .formatted(
                harness.options().bench(),
                benchCase.name(),
                round,
                harness.options().rounds(),
                entry.series.label() + (entry.series.control() ? " (A/A)" : ""),
                metrics.getOrDefault("cpu_ns_per_req", Double.NaN),
                metrics.getOrDefault("rps", Double.NaN)));
  }

  /// Removes a system from the case after a wrong or missing reply, and reports it.
  private void fail(Entry entry, IOException cause) {
    Progress.say("FAILED: " + cause.getMessage());
    failures.put(entry.series.label(), String.valueOf(cause.getMessage()));
    entries.remove(entry);
  }

  private void count(Entry entry) throws IOException {
    if (entry.series.control()) {
      return;
    }
    double seconds = Math.min(1, harness.options().seconds());
    entry.series.putOnce(
        harness.probe().measure(entry.server, entry.load, benchCase.bytesPerRequest(), seconds));
    for (Counter counter : counters) {
      entry.series.putOnce(counter.count(entry.server, entry.load));
    }
  }
}
