package sluice.bench.isocket;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.Rounds;
import sluice.bench.isocket.EchoCase.Place;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Progress;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;

/// `bench isocket`: the echo of the Interruptlets paper (section 5) by message size, over loopback
/// and over a veth pair between two network namespaces. Used by the harness's main thread. The veth
/// pair needs root; otherwise its cases report that.
public final class IsocketBench implements Bench {
  private static final String NAME = "isocket";
  private static final List<String> SYSTEMS =
      List.of(
          EchoServerMain.INTERRUPTLET,
          EchoServerMain.FAST,
          EchoServerMain.STREAMS,
          EchoServerMain.ON_LOOP,
          EchoServerMain.JDK);
  private static final List<EchoCase> CASES = EchoCase.all();

  /// The divisor of the warm-up time for warming up every server again before each case.
  private static final int AGAIN = 5;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "one connection, a core for each end; loopback, or a veth pair between two namespaces";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (EchoCase each : CASES) {
      text.append(NAME).append(": ").append(each.name()).append(each.quick() ? " (quick)" : "");
      text.append('\n');
    }
    return text.append("    ").append(String.join(" ", SYSTEMS)).append('\n').toString();
  }

  @Override
  public void check(Options options) {
    CaseChoice.checkPeers(this, options, SYSTEMS::contains);
    List<EchoCase> _ = selected(options);
  }

  private static List<EchoCase> selected(Options options) {
    return CaseChoice.of(options, CASES, EchoCase::name, EchoCase::quick);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<EchoCase> all = selected(harness.options());
    try (MachineLock _ = MachineLock.acquire()) {
      for (Place place : Place.values()) {
        List<EchoCase> here = all.stream().filter(each -> each.place() == place).toList();
        if (!here.isEmpty()) {
          run(harness, place, here, done);
        }
      }
    }
  }

  private static void run(
      Harness harness, Place place, List<EchoCase> cases, Consumer<CaseResult> done)
      throws IOException {
    EchoPlace opened;
    try {
      opened = EchoPlace.open(harness, place);
    } catch (IOException e) {
      String why = place + " is not measured: " + e.getMessage();
      Progress.say(why);
      for (EchoCase each : cases) {
        done.accept(new CaseResult(NAME, each.name(), List.of(), Map.of("all", why)));
      }
      return;
    }
    try (opened) {
      Map<Series, EchoPlace.Peer> running = new LinkedHashMap<>();
      Map<String, String> failures = new LinkedHashMap<>();
      for (String system : SYSTEMS) {
        if (wanted(harness.options(), system)) {
          start(opened, new Series(system, false), running, failures);
        }
      }
      if (!running.isEmpty()) {
        String first = running.keySet().iterator().next().label();
        start(opened, new Series(first, true), running, failures);
      }
      for (EchoCase each : cases) {
        done.accept(measure(harness, each, opened, running, failures));
      }
    }
  }

  private static boolean wanted(Options options, String system) {
    return options.peers().isEmpty() || options.peers().contains(system);
  }

  private static void start(
      EchoPlace place,
      Series series,
      Map<Series, EchoPlace.Peer> running,
      Map<String, String> failures) {
    Progress.say("starting " + series.label() + (series.control() ? " (A/A)" : ""));
    try {
      running.put(series, place.start(series.label()));
    } catch (IOException e) {
      failures.put(series.label(), String.valueOf(e.getMessage()));
      Progress.say("FAILED: " + e.getMessage());
    }
  }

  private static CaseResult measure(
      Harness harness,
      EchoCase one,
      EchoPlace place,
      Map<Series, EchoPlace.Peer> running,
      Map<String, String> failed)
      throws IOException {
    Options options = harness.options();
    if (running.isEmpty()) {
      return new CaseResult(NAME, one.name(), List.of(), Map.copyOf(failed));
    }
    Map<Series, EchoPlace.Peer> entries = new LinkedHashMap<>();
    running.forEach(
        (series, peer) -> entries.put(new Series(series.label(), series.control()), peer));
    for (EchoPlace.Peer peer : entries.values()) {
      Map<String, Double> _ = place.measure(peer, one, options.warmSeconds() / AGAIN);
    }
    double before = harness.regime().probe();
    for (int round = 0; round < options.rounds(); round++) {
      StringBuilder line = new StringBuilder();
      for (Series series : Rounds.inTurn(entries.keySet(), round)) {
        EchoPlace.Peer peer = entries.get(series);
        if (peer != null) {
          Map<String, Double> metrics = place.measure(peer, one, options.seconds());
          double after = harness.regime().probe();
          Regime.note(metrics, before, after);
          before = after;
          series.addRound(metrics);
          line.append("  %s %.1f".formatted(series.label(), metrics.get(metric(one.stream()))));
        }
      }
      Progress.say("[%s] round %d/%d:%s".formatted(one.name(), round + 1, options.rounds(), line));
    }
    return new CaseResult(NAME, one.name(), List.copyOf(entries.keySet()), Map.copyOf(failed));
  }

  private static String metric(boolean stream) {
    return stream ? "mb_per_s" : "p50_us";
  }

  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    List<LinePlot.Panel> panels = new ArrayList<>();
    for (Place place : Place.values()) {
      for (boolean stream : List.of(false, true)) {
        LinePlot.Panel panel =
            new LinePlot.Panel(
                place + (stream ? ", throughput" : ", p50 of a round trip"),
                "bytes of a message",
                stream ? "MB/s" : "microseconds");
        for (EchoCase each : CASES) {
          if (each.place() == place && each.stream() == stream) {
            add(panel, each, results);
          }
        }
        if (!panel.isEmpty()) {
          panels.add(panel);
        }
      }
    }
    return LinePlot.above(NAME, subtitle, panels, List.of());
  }

  private static void add(LinePlot.Panel panel, EchoCase one, List<CaseResult> results) {
    String metric = metric(one.stream());
    for (CaseResult result : results) {
      if (result.name().equals(one.name())) {
        for (Series series : result.series()) {
          if (!series.control() && series.has(metric)) {
            panel.add(series.label(), one.bytes(), PairedRatio.median(series.values(metric)));
          }
        }
      }
    }
  }
}
