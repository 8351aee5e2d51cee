package sluice.bench.iozone;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.cases.Table;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;
import sluice.bench.run.Systems;

/// `sluice bench iozone`: writes and reads files of many lengths in records of many lengths, after
/// the evaluation of the JX paper (figures 3 to 5). Used by the harness's main thread.
///
/// Each file system is in a worker process of its own; the harness only says which worker measures
/// next.
public final class IozoneBench implements Bench {
  private static final String NAME = "iozone";
  private static final String METRIC = "ns_per_record";
  private static final String CPU_METRIC = "cpu_ns_per_record";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "one process per file system, images on " + System.getProperty("java.io.tmpdir");
  }

  @Override
  public String list() {
    Map<String, List<String>> names = new LinkedHashMap<>();
    for (IozoneCase one : IozoneCase.all()) {
      names
          .computeIfAbsent(one.surface(), _ -> new ArrayList<>())
          .add(one.name().substring(one.surface().length() + 1) + (one.quick() ? "*" : ""));
    }
    StringBuilder out = new StringBuilder();
    names.forEach((surface, sizes) ->
        out.append(NAME)
            .append(": ")
            .append(surface)
            .append(" FILE/RECORD: ")
            .append(String.join(" ", sizes))
            .append('\n'));
    return out.append("    * (quick)\n    ")
        .append(String.join(" ", IozoneSystems.NAMES))
        .append('\n')
        .toString();
  }

  static List<IozoneCase> selected(Options options) {
    return CaseChoice.of(options, IozoneCase.all(), IozoneCase::name, IozoneCase::quick);
  }

  private static List<String> systems(Options options) {
    return options.peers().isEmpty() ? IozoneSystems.defaults(options.quick()) : options.peers();
  }

  @Override
  public void check(Options options) {
    List<IozoneCase> _ = selected(options);
    CaseChoice.checkPeers(this, options, IozoneSystems.NAMES::contains);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<IozoneCase> cases = selected(harness.options());
    List<CaseResult> results = new ArrayList<>();
    try (MachineLock _ = MachineLock.acquire();
        Run run = new Run(harness, cases)) {
      for (IozoneCase one : cases) {
        CaseResult result = run.measure(one);
        results.add(result);
        done.accept(result);
      }
    }
    System.out.println(Table.summary(results, METRIC));
    System.out.print(Table.summary(results, CPU_METRIC));
  }

  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    Map<String, SurfacePlot.Group> groups = new LinkedHashMap<>();
    Map<String, IozoneCase> byName = new TreeMap<>();
    IozoneCase.all().forEach(c -> byName.put(c.name(), c));
    for (CaseResult result : results) {
      IozoneCase one = byName.get(result.name());
      if (one == null) {
        continue;
      }
      SurfacePlot.Group group = groups.computeIfAbsent(one.surface(), SurfacePlot.Group::new);
      for (Series series : result.series()) {
        if (!series.control() && series.has(METRIC)) {
          double nanos = PairedRatio.median(series.values(METRIC));
          group.add(
              series.label(), one.fileBytes(), one.recordBytes(), one.megabytesPerSecond(nanos));
        }
      }
    }
    return SurfacePlot.render(NAME, subtitle, List.copyOf(groups.values()));
  }

  /// The workers of one run, and the systems that can no longer be measured.
  private static final class Run implements AutoCloseable {
    /// A system and its worker.
    ///
    /// @param system as in results
    /// @param worker measures the system
    private record Entry(String system, boolean control, IozoneWorker worker) {
      boolean slices() {
        return system.equals(IozoneSystems.SLICES);
      }
    }

    private final Harness harness;
    private final Options options;
    private final List<IozoneWorker> workers = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final long millis;

    Run(Harness harness, List<IozoneCase> cases) {
      this.harness = harness;
      options = harness.options();
      millis = Math.max(1, Math.round(options.seconds() * 1e3));
      List<String> systems = systems(options);
      Progress.say(announce(cases, systems));
      try {
        IozoneSystems commands =
            new IozoneSystems(harness.workspace(), cases.stream().anyMatch(IozoneCase::isLarge));
        for (String system : systems) {
          start(commands, system);
        }
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    private String announce(List<IozoneCase> cases, List<String> systems) {
      double seconds = systems.size() * (options.warmSeconds() + 2);
      for (IozoneCase one : cases) {
        double passSeconds = one.isLarge() ? 2.5 : options.seconds() * 1.1;
        seconds += (options.rounds() + 1) * passSeconds * (systems.size() + 1);
      }
      return String.format(
          Locale.ROOT,
          "%d cases, %d rounds, %d systems: about %.0f min",
          cases.size(),
          options.rounds(),
          systems.size(),
          Math.ceil(seconds / 60));
    }

    private void start(IozoneSystems commands, String system) {
      boolean slices = system.equals(IozoneSystems.SLICES);
      try {
        IozoneWorker worker = slices ? worker(IozoneSystems.REFERENCE) : null;
        if (worker == null) {
          worker = started(commands, slices ? IozoneSystems.REFERENCE : system, 0);
        }
        boolean first = entries.isEmpty();
        entries.add(new Entry(system, false, worker));
        if (first) {
          entries.add(
              new Entry(
                  system, true, started(commands, slices ? IozoneSystems.REFERENCE : system, 1)));
        }
      } catch (IOException e) {
        Progress.say("not measured: " + system + ": " + e.getMessage());
        missing.put(system, String.valueOf(e.getMessage()));
      }
    }

    private @Nullable IozoneWorker worker(String system) {
      return entries.stream()
          .filter(e -> e.system.equals(system) && !e.control)
          .map(Entry::worker)
          .findFirst()
          .orElse(null);
    }

    private IozoneWorker started(IozoneSystems commands, String system, int index)
        throws IOException {
      Progress.say("[iozone] warming " + system);
      String log = "iozone-" + system.replace('/', '-') + "-" + index + ".log";
      IozoneWorker worker =
          IozoneWorker.start(commands.command(system, index), harness.workspace().temporary(log));
      workers.add(worker);
      warm(worker, Systems.isOurs(system));
      return worker;
    }

    /// Runs all operations that will be timed, so that they are compiled with the profile of all.
    private void warm(IozoneWorker worker, boolean ours) throws IOException {
      List<IozoneCase> cases = IozoneCase.all().stream().filter(IozoneCase::quick).toList();
      long end = System.nanoTime() + (long) (options.warmSeconds() * 1e9);
      do {
        for (IozoneCase one : cases) {
          IozonePasses.Cost _ = worker.measure(one, false, 20);
          if (ours && one.operation().reads()) {
            IozonePasses.Cost _ = worker.measure(one, true, 20);
          }
        }
      } while (System.nanoTime() - end < 0);
    }

    CaseResult measure(IozoneCase one) {
      Map<String, String> failures = new LinkedHashMap<>(missing);
      Map<Entry, Series> series = new LinkedHashMap<>();
      for (Entry entry : entries) {
        if (!entry.slices() || one.operation().reads()) {
          try {
            IozonePasses.Cost _ = entry.worker.measure(one, entry.slices(), Math.min(millis, 30));
            series.put(entry, new Series(entry.system, entry.control));
          } catch (IOException e) {
            fail(one, entry, e, failures);
          }
        }
      }
      for (int round = 0; round < options.rounds(); round++) {
        if (one.isLarge()) {
          Progress.say(
              "[iozone] %s: round %d/%d".formatted(one.name(), round + 1, options.rounds()));
        }
        for (Entry entry : Rounds.inTurn(series.keySet(), round)) {
          try {
            IozonePasses.Cost cost = entry.worker.measure(one, entry.slices(), millis);
            Series target = series.get(entry);
            if (target != null) {
              target.addRound(Map.of(METRIC, cost.nanos(), CPU_METRIC, cost.cpuNanos()));
            }
          } catch (IOException e) {
            series.remove(entry);
            fail(one, entry, e, failures);
          }
        }
      }
      for (Series target : series.values()) {
        double nanos = PairedRatio.median(target.values(METRIC));
        target.putOnce(Map.of("mb_per_s", one.megabytesPerSecond(nanos)));
      }
      Progress.say("[iozone] " + one.name());
      return new CaseResult(NAME, one.name(), List.copyOf(series.values()), failures);
    }

    /// Records a failure. A worker that refuses one case may run another; a worker that has ended
    /// is removed.
    private void fail(IozoneCase one, Entry entry, IOException e, Map<String, String> failures) {
      String why = String.valueOf(e.getMessage());
      Progress.say("FAILED: %s: %s: %s".formatted(one.name(), entry.system, why));
      failures.put(entry.system, why);
      if (!entry.worker.isAlive()) {
        entries.remove(entry);
        missing.put(entry.system, why);
      }
    }

    @Override
    public void close() {
      workers.reversed().forEach(IozoneWorker::close);
    }
  }
}
