package sluice.bench.isocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Options;
import sluice.bench.run.Series;

/// The cases of `bench isocket` and their picture.
final class IsocketBenchTest {
  @Test
  void casesAreNamedByPlaceKindAndSize() {
    List<String> names = EchoCase.all().stream().map(EchoCase::name).toList();
    assertThat(names)
        .hasSize(24)
        .doesNotHaveDuplicates()
        .contains("loopback round trip 1B", "loopback stream 1MB", "veth round trip 16KB");
    IsocketBench bench = new IsocketBench();
    bench.check(Options.parse(List.of("isocket", "--cases", "veth stream", "--quick")));
    bench.check(Options.parse(List.of("isocket", "--peers", "sluice/isocket,jdk/socket")));
    assertThatThrownBy(() -> bench.check(Options.parse(List.of("isocket", "--peers", "netty-nio"))))
        .hasMessageContaining("no system of isocket is called netty-nio");
  }

  @Test
  void eachPlaceHasItsPanels() {
    List<CaseResult> results = new ArrayList<>();
    for (EchoCase each : EchoCase.all()) {
      Series series = new Series("sluice/isocket", false);
      series.addRound(Map.of(each.stream() ? "mb_per_s" : "p50_us", (double) each.bytes()));
      results.add(new CaseResult("isocket", each.name(), List.of(series), Map.of()));
    }
    assertThat(new IsocketBench().plot(results, "here"))
        .contains(
            "loopback, p50 of a round trip",
            "loopback, throughput",
            "veth, p50 of a round trip",
            "veth, throughput",
            "<polyline");
  }
}
