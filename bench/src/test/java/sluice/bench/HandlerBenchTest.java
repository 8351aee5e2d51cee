package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Series;

/// The cases of `bench handler` and their picture.
final class HandlerBenchTest {
  private static CaseResult result(String name, Map<String, Double> round) {
    Series series = new Series("sluice/inline", false);
    series.addRound(round);
    return new CaseResult("handler", name, List.of(series), Map.of());
  }

  @Test
  void handlerTimesAreInTheNames() {
    assertThat(HandlerCases.all().stream().map(BenchCase::name).mapToInt(HandlerCases::micros))
        .containsExactly(0, 10, 25, 50, 100, 250, 500, -1);
  }

  @Test
  void latenciesOfOrdinaryRequestsAreLinesOverTheHandlersTime() {
    Map<String, Double> round =
        Map.of("cpu_ns_per_req", 1.0, "ordinary_p50_us", 40.0, "ordinary_p99_us", 700.0);
    List<CaseResult> swept =
        List.of(result("0us at 10k/s", round), result("500us at 10k/s", round));
    assertThat(new HandlerBench().plot(swept, "here"))
        .contains("p50 of ordinary requests", "p99 of ordinary requests", ">500<", "<polyline");
    assertThat(new HandlerBench().plot(List.of(result("0us at peak", round)), "here"))
        .contains("0us at peak")
        .doesNotContain("<polyline");
  }
}
