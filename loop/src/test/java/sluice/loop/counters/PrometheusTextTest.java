package sluice.loop.counters;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PrometheusTextTest {
  @Test
  void groupsSamplesByName() {
    try (Counters counters = Counters.inMemory()) {
      counters.counter("loop0/requests").set(12);
      counters.gauge("loop0/open connections").set(3);
      counters.counter("loop1/requests").set(-1);
      counters.counter("a\"\\b/x").set(1);
      counters.gauge("up").set(1);
      assertThat(PrometheusText.of(counters.snapshot()))
          .isEqualTo(
              """
              # TYPE sluice_requests_total counter
              sluice_requests_total{source="loop0"} 12
              sluice_requests_total{source="loop1"} -1
              # TYPE sluice_open_connections gauge
              sluice_open_connections{source="loop0"} 3
              # TYPE sluice_x_total counter
              sluice_x_total{source="a\\"\\\\b"} 1
              # TYPE sluice_up gauge
              sluice_up 1
              """);
    }
  }
}
