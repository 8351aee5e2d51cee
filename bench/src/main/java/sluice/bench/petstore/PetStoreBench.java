package sluice.bench.petstore;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import sluice.bench.cases.Bench;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.CaseRunner;
import sluice.bench.cases.Estimate;
import sluice.bench.cases.HttpProbe;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.PollingShare;
import sluice.bench.cases.RequestMix;
import sluice.bench.cases.SelectorSystems;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Options;
import sluice.bench.run.Peers;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;

/// `sluice bench petstore`: an application server whose requests look up one item each, with 1280
/// open connections of which 64 or all are active, over the batching threshold of the selector.
/// Used by the harness's main thread.
///
/// With two cores the database and the client share the core that the server does not use, so
/// requests per second are a lower bound of the server's capacity; its processor time per request
/// does not depend on that.
public final class PetStoreBench implements Bench {
  private static final int CONNECTIONS = 1280;
  private static final List<Integer> ACTIVE = List.of(64, 1280);
  private static final List<Integer> THRESHOLDS = List.of(1, 4, 16, 64, 256, 1024);
  private static final List<String> QUICK =
      List.of(SelectorSystems.withThreshold("sluice/readiness", 64), "jdk-epoll", "jdk-poll");

  /// The number of requests in the mix, each for a random item.
  private static final int REQUESTS = 4000;

  private static final long SEED = 20_09;

  /// A plot over the threshold: title, metric, unit, and a factor.
  private record Chart(String title, String metric, String unit, double factor) {}

  private static final List<Chart> CHARTS =
      List.of(
          new Chart("throughput", "rps", "requests/s", 1),
          new Chart("server CPU", "cpu_ns_per_req", "ns per request", 1),
          new Chart("control: epoll_ctl", "epoll_ctl_per_ms", "calls per ms", 1),
          new Chart("staged in rings", "staged_per_ms", "operations per ms", 1),
          new Chart("wait: poll, epoll_wait, io_uring_enter", "waits_per_ms", "calls per ms", 1),
          new Chart("control: share of CPU", PollingShare.CONTROL, "% of the server's", 100),
          new Chart("wait: share of CPU", PollingShare.WAIT, "% of the server's", 100));

  @Override
  public String name() {
    return "petstore";
  }

  @Override
  public String list() {
    return cases(0).list();
  }

  @Override
  public void check(Options options) {
    cases(0).check(options);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<BenchCase> selected = cases(0).selected(harness.options());
    Progress.say(Estimate.announce(harness.options(), selected));
    if (Runtime.getRuntime().availableProcessors() < 3) {
      Progress.say("[petstore] the database shares the client's core: there are only two");
    }
    try (Database database = Database.start(harness)) {
      PollingShare share = new PollingShare(harness);
      for (BenchCase benchCase : cases(database.port()).selected(harness.options())) {
        done.accept(new CaseRunner(harness, benchCase).alsoCounting(share::measure).run());
      }
    }
  }

  /// @param databasePort 0 if nothing is to be run
  private static CaseBench cases(int databasePort) {
    return new CaseBench(
        "petstore",
        () ->
            Stream.concat(
                    ACTIVE.stream().map(active -> tomcat(active, databasePort)),
                    ACTIVE.stream().map(active -> grizzly(active, databasePort)))
                .toList());
  }

  private static BenchCase tomcat(int active, int databasePort) {
    Peers peers = peers(databasePort, "tomcat", withThresholds());
    return active("", active, active < CONNECTIONS, peers);
  }

  /// Returns a case with the threshold that each engine chooses itself.
  private static BenchCase grizzly(int active, int databasePort) {
    return active("grizzly ", active, false, peers(databasePort, "grizzly", SelectorSystems.ALL));
  }

  private static BenchCase active(String server, int active, boolean quick, Peers peers) {
    return new BenchCase(
        "%sc%d active %d".formatted(server, CONNECTIONS, active),
        peers,
        quick,
        0,
        0,
        Sites::small,
        (started, root, harness) ->
            LoadSpec.http(active, 1, mix(harness)).withIdle(CONNECTIONS - active));
  }

  private static List<String> withThresholds() {
    List<String> names = new ArrayList<>();
    for (String system : SelectorSystems.ALL) {
      if (Systems.isOurs(system)) {
        THRESHOLDS.forEach(t -> names.add(SelectorSystems.withThreshold(system, t)));
      } else {
        names.add(system);
      }
    }
    return names;
  }

  private static Peers peers(int databasePort, String server, List<String> names) {
    List<String> arguments = List.of(Integer.toString(databasePort), server);
    return new SelectorSystems("petstore.PetServer", arguments, List.of(), names, QUICK);
  }

  private static Path mix(Harness harness) throws IOException {
    Random random = new Random(SEED);
    RequestMix mix = new RequestMix();
    for (int i = 0; i < REQUESTS; i++) {
      int id = 1 + random.nextInt(PetItem.COUNT);
      byte[] body = PetItem.numbered(id).xml().getBytes(StandardCharsets.US_ASCII);
      mix.add(1, HttpProbe.request("/item?id=" + id), 200, body);
    }
    return mix.write(harness.workspace().temporary("mix-petstore"));
  }

  // ---- plot ---------------------------------------------------------------------------------

  /// Draws one panel per measure and case; systems without a threshold are level lines.
  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    List<LinePlot.Panel> panels = new ArrayList<>();
    for (CaseResult result : results) {
      for (Chart chart : CHARTS) {
        LinePlot.Panel panel =
            new LinePlot.Panel(
                result.name() + ", " + chart.title, SelectorSystems.THRESHOLD, chart.unit);
        result.series().stream()
            .filter(s -> !s.control())
            .forEach(series -> add(panel, series, chart));
        if (!panel.isEmpty()) {
          panels.add(panel);
        }
      }
    }
    return LinePlot.above(name(), subtitle, panels, results);
  }

  private static void add(LinePlot.Panel panel, Series series, Chart chart) {
    Map<String, Double> medians = series.medians();
    Double value = medians.get(chart.metric);
    if (value == null) {
      return;
    }
    int threshold = SelectorSystems.threshold(series.label());
    String engine = SelectorSystems.engine(series.label());
    List<Integer> places = threshold > 0 ? List.of(threshold) : THRESHOLDS;
    places.forEach(x -> panel.add(engine, x, value * chart.factor));
  }
}
