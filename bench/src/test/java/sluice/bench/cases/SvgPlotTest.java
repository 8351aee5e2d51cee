package sluice.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.bench.run.Series;

final class SvgPlotTest {
  private static Series series(String label, boolean control, double cpu) {
    Series series = new Series(label, control);
    series.addRound(Map.of("cpu_ns_per_req", cpu));
    series.addRound(Map.of("cpu_ns_per_req", cpu * 1.1));
    return series;
  }

  @Test
  void isXmlWithABarForEachSystem() {
    CaseResult result =
        new CaseResult(
            "echo",
            "64B <c64>",
            List.of(
                series("sluice/io_uring", false, 4000),
                series("sluice/io_uring", true, 4100),
                series("netty-epoll", false, 6000)),
            Map.of());
    String svg = SvgPlot.render("echo", List.of(result, result), "a machine & a date");
    List<String> lines = svg.lines().toList();
    assertThat(lines.getFirst()).startsWith("<svg xmlns=");
    assertThat(lines.getLast()).isEqualTo("</svg>");
    assertThat(lines.subList(1, lines.size() - 1))
        .allMatch(
            line -> line.matches("<(rect|path)( [a-z]+=\"[^\"]*\")+/>|<text [^>]*>[^<>]*</text>"));
    // the background, and two systems in each of two cases
    assertThat(lines.stream().filter(line -> line.startsWith("<rect"))).hasSize(1 + 4);
    assertThat(svg).contains("0.67 [0.67–0.67]", "a machine &amp; a date", "64B &lt;c64&gt;");
  }

  @Test
  void saysWhatBecomesOfAChange() {
    Series ours = series("sluice/io_uring", false, 4000);
    Series epoll = series("sluice/epoll", false, 5000);
    Series nothing = series("c-null", false, 3000);
    CaseResult before = new CaseResult("nfs", "x", List.of(ours, epoll, nothing), Map.of());
    int height = SvgPlot.height(List.of(before));
    ours.keeps("in the journal");
    epoll.keeps("in the journal");
    nothing.keeps("kept nowhere");
    CaseResult result = new CaseResult("nfs", "x", List.of(ours, epoll, nothing), Map.of());
    String text = "sluice/io_uring, sluice/epoll: in the journal; c-null: kept nowhere";
    assertThat(result.durability()).isEqualTo(text);
    assertThat(SvgPlot.render("nfs", List.of(result), "")).contains(text);
    assertThat(SvgPlot.height(List.of(result))).isGreaterThan(height);
    assertThat(Table.render(result)).contains("a change is, when it is answered: " + text);
    assertThat(result.lines(false)).anyMatch(l -> "kept nowhere".equals(l.get("durability")));
  }

  @Test
  void casesWithoutFiguresAreStillAPlot() {
    CaseResult empty = new CaseResult("echo", "x", List.of(), Map.of("a", "missing"));
    assertThat(SvgPlot.render("echo", List.of(empty), "")).contains("</svg>");
  }

  @Test
  void aResultFileIsDrawnFromItsLines() {
    List<String> lines =
        List.of(
            "{\"bench\":\"echo\",\"environment\":{\"cpu\":\"a <cpu>\",\"date\":\"today\"}}",
            "{\"case\":\"64B\",\"system\":\"sluice/io_uring\",\"cpu_ns_per_req\":4000}",
            "{\"case\":\"64B\",\"system\":\"netty-epoll\",\"cpu_ns_per_req\":8000}",
            "{\"case\":\"64B\",\"system\":\"c\",\"error\":\"not installed\"}",
            "{\"case\":\"64B\",\"pair\":[\"sluice/io_uring\",\"netty-epoll\"],"
                + "\"metric\":\"cpu_ns_per_req\",\"ratio\":0.5,\"min\":0.4,\"max\":0.6}");
    String svg = ResultPlot.render(lines);
    assertThat(svg.lines().filter(line -> line.startsWith("<rect"))).hasSize(1 + 2);
    assertThat(svg)
        .contains(
            "a &lt;cpu&gt;", "4,000.0<", "8,000.0   sluice/io_uring is 0.50 [0.40–0.60] of it<");
    assertThatThrownBy(() -> ResultPlot.render(lines.subList(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no line has a figure");
  }
}
