package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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
        .containsExactly(0, 10, 25, 50, 100, 250, 500, -1, -1, -1);
  }

  private static CaseResult both(int micros, double inline, double handedOff) {
    return both(micros, inline, inline, handedOff);
  }

  /// @param once of the inline server in one of eight rounds
  private static CaseResult both(int micros, double inline, double once, double handedOff) {
    List<Series> series = new ArrayList<>();
    for (var each :
        Map.of(HandlerCases.INLINE, inline, HandlerCases.HANDED_OFF, handedOff).entrySet()) {
      Series made = new Series(each.getKey(), false);
      for (int round = 0; round < 8; round++) {
        boolean other = round == 0 && each.getKey().equals(HandlerCases.INLINE);
        made.addRound(Map.of("ordinary_p99_us", other ? once : each.getValue()));
      }
      series.add(made);
    }
    return new CaseResult("handler", micros + "us at 10k/s", series, Map.of());
  }

  @Test
  void theAdviceIsTheLongestTimeBeforeTheOthersSuffer() {
    assertThat(
            HandlerBench.advisedMicros(
                List.of(
                    both(0, 500, 100),
                    both(10, 100, 100),
                    both(25, 124, 100),
                    both(50, 126, 100),
                    both(100, 100, 100))))
        .hasValue(25);
    assertThat(HandlerBench.advisedMicros(List.of(both(10, 200, 100)))).hasValue(0);
    assertThat(HandlerBench.advisedMicros(List.of(both(10, 200, 90, 100)))).hasValue(10);
    assertThat(HandlerBench.advisedMicros(List.of(result("10us at 10k/s", Map.of())))).isEmpty();
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
