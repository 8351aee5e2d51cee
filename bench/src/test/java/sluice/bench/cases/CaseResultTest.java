package sluice.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.bench.run.Json;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;

final class CaseResultTest {
  private static Series series(String label, boolean control, double... cpu) {
    Series series = new Series(label, control);
    for (double value : cpu) {
      series.addRound(Map.of("cpu_ns_per_req", value));
    }
    return series;
  }

  private static CaseResult result() {
    Series ours = series("sluice/io_uring", false, 10, 20, 30, 10, 20, 30);
    ours.putOnce(Map.of("syscalls_per_req", 0.04));
    return new CaseResult(
        "echo",
        "64B c64 d1",
        List.of(
            ours,
            series("sluice/epoll", false, 20, 20, 20, 20, 20, 20),
            series("c-epoll", false, 20, 40, 50, 20, 40, 50),
            series("sluice/io_uring", true, 10, 21, 29, 10, 21, 29)),
        Map.of("nginx", "nginx is not installed"));
  }

  @Test
  void pairsEachOfOursWithEachOther() {
    assertThat(result().pairs().stream().map(p -> p.ours().label() + " " + p.theirs().label()))
        .containsExactly(
            "sluice/io_uring sluice/epoll",
            "sluice/io_uring c-epoll",
            "sluice/io_uring sluice/io_uring",
            "sluice/epoll sluice/io_uring",
            "sluice/epoll c-epoll");
  }

  @Test
  void withoutOursTheFirstIsCompared() {
    List<Series> peers =
        List.of(series("a", false, 1), series("b", false, 2), series("c", false, 4));
    CaseResult result = new CaseResult("echo", "x", peers, Map.of());
    assertThat(result.pairs().stream().map(p -> p.ours().label() + p.theirs().label()))
        .containsExactly("ab", "ac");
  }

  @Test
  void linesHaveTheAgreedShape() {
    List<String> lines = result().lines(true).stream().map(Json::write).toList();
    assertThat(lines)
        .contains(
            "{\"bench\":\"echo\",\"case\":\"64B c64 d1\",\"quick\":true,"
                + "\"system\":\"sluice/io_uring\",\"rounds\":6,\"cpu_ns_per_req\":20,"
                + "\"syscalls_per_req\":0.04}",
            "{\"bench\":\"echo\",\"case\":\"64B c64 d1\",\"quick\":true,\"system\":\"nginx\","
                + "\"error\":\"nginx is not installed\"}",
            "{\"bench\":\"echo\",\"case\":\"64B c64 d1\",\"quick\":true,"
                + "\"pair\":[\"sluice/io_uring\",\"c-epoll\"],\"metric\":\"cpu_ns_per_req\","
                + "\"ratio\":0.5,\"min\":0.5,\"max\":0.6,\"low\":0.5,\"high\":0.6,\"rounds\":6}");
    assertThat(lines).filteredOn(line -> line.contains("\"control\":true")).hasSize(1);
    assertThat(lines).filteredOn(line -> line.contains("\"system\"")).hasSize(4);
  }

  @Test
  void fullRunsAreNotMarkedQuick() {
    assertThat(result().lines(false)).noneMatch(line -> line.containsKey("quick"));
  }

  @Test
  void theTableShowsRatiosAndFailures() {
    String table = Table.render(result());
    assertThat(table)
        .contains("echo: 64B c64 d1", "0.50 [0.50–0.60]", "(A/A)", "0.040")
        .contains("not measured: nginx: nginx is not installed");
  }

  @Test
  void onlyWindowsOfOneRegimeArePairs() {
    Series ours = new Series("sluice/io_uring", false);
    Series theirs = new Series("nginx", false);
    for (int i = 0; i < 8; i++) {
      boolean disturbed = i % 4 == 0;
      ours.addRound(round(10, disturbed ? 400 : 200, 200));
      theirs.addRound(round(disturbed ? 500 : 20, 205, 200));
    }
    PairedRatio ratio = CaseResult.ratio(ours, theirs, "cpu_ns_per_req");
    assertThat(ratio).isEqualTo(new PairedRatio(0.5, 0.5, 0.5, 0.5, 0.5, 6));
    theirs.addRound(round(20, 205, 200));
    ours.addRound(round(10, 300, 200));
    assertThat(CaseResult.ratio(ours, theirs, "cpu_ns_per_req")).isEqualTo(ratio);
  }

  @Test
  void withFewPairsOrAWideControlNothingIsMeasured() {
    Series ours = series("sluice/io_uring", false, 10, 10, 10, 10, 10);
    Series few = series("nginx", false, 20, 20, 20, 20, 20);
    assertThat(Table.render(new CaseResult("http", "x", List.of(ours, few), Map.of())))
        .contains("not measured, 5 pairs");
    Series more = series("sluice/io_uring", false, 10, 10, 10, 10, 10, 10);
    Series near = series("nginx", false, 10, 10, 10, 10, 11, 11);
    Series wide = series("sluice/io_uring", true, 9, 9, 9, 11, 12, 12);
    assertThat(Table.render(new CaseResult("http", "x", List.of(more, near, wide), Map.of())))
        .contains("nginx                  not measured, control too wide");
    Series calm = series("sluice/io_uring", true, 10, 10, 10, 10, 10, 10);
    assertThat(Table.render(new CaseResult("http", "x", List.of(more, near, calm), Map.of())))
        .contains("1.00 [0.91–1.00] =");
  }

  private static Map<String, Double> round(double cpu, double slowest, double fastest) {
    return Map.of("cpu_ns_per_req", cpu, Regime.SLOWEST, slowest, Regime.FASTEST, fastest);
  }

  @Test
  void prolongedWindowsAreNamed() {
    Series slow = series("tomcat", false, 10, 20);
    slow.addRound(Map.of("cpu_ns_per_req", 30.0, Series.PROLONGED, 1.0));
    CaseResult result = new CaseResult("selector", "x", List.of(slow), Map.of());
    assertThat(Table.render(result))
        .contains("window prolonged until a reply came: tomcat, 1 of 3 rounds");
    assertThat(result.lines(false))
        .first()
        .satisfies(line -> assertThat(line).containsEntry("prolonged_rounds", 1L))
        .satisfies(line -> assertThat(line).doesNotContainKey(Series.PROLONGED));
    assertThat(Table.render(result())).doesNotContain("prolonged");
  }

  @Test
  void metricsThatSomeRoundLacksAreLeftOut() {
    Series series = new Series("a", false);
    series.addRound(Map.of("rps", 1.0, "p50_us", 5.0));
    series.addRound(Map.of("rps", 3.0));
    assertThat(series.medians()).containsExactly(Map.entry("rps", 2.0));
  }
}
