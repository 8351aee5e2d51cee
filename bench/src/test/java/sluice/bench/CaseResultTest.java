package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CaseResultTest {
  private static Series series(String label, boolean control, double... cpu) {
    Series series = new Series(label, control);
    for (double value : cpu) {
      series.addRound(Map.of("cpu_ns_per_req", value));
    }
    return series;
  }

  private static CaseResult result() {
    Series ours = series("sluice/io_uring", false, 10, 20, 30);
    ours.putOnce(Map.of("syscalls_per_req", 0.04));
    return new CaseResult(
        "echo",
        "64B c64 d1",
        List.of(
            ours,
            series("sluice/io_uring", true, 10, 21, 29),
            series("sluice/epoll", false, 20, 20, 20),
            series("c-epoll", false, 20, 40, 50)),
        Map.of("nginx", "nginx is not installed"));
  }

  @Test
  void pairsEachOfOursWithEachOther() {
    assertThat(result().pairs().stream().map(p -> p.ours().label() + " " + p.theirs().label()))
        .containsExactly(
            "sluice/io_uring sluice/io_uring",
            "sluice/io_uring sluice/epoll",
            "sluice/io_uring c-epoll",
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
                + "\"system\":\"sluice/io_uring\",\"rounds\":3,\"cpu_ns_per_req\":20,"
                + "\"syscalls_per_req\":0.04}",
            "{\"bench\":\"echo\",\"case\":\"64B c64 d1\",\"quick\":true,\"system\":\"nginx\","
                + "\"error\":\"nginx is not installed\"}",
            "{\"bench\":\"echo\",\"case\":\"64B c64 d1\",\"quick\":true,"
                + "\"pair\":[\"sluice/io_uring\",\"c-epoll\"],\"metric\":\"cpu_ns_per_req\","
                + "\"ratio\":0.5,\"min\":0.5,\"max\":0.6,\"rounds\":3}");
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
