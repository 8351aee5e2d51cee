package sluice.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.loop.counters.Counters;

final class MetricsTextTest {
  private static List<Metric> more() {
    return List.of(
        new Metric("sluice_build_info", Metric.Kind.INFO, "", Map.of("java", "a\\\"b\nc"), 1),
        new Metric("jvm_threads_started_total", Metric.Kind.COUNTER, "", Map.of(), 3),
        Metric.gauge("jvm_memory_used_bytes", Map.of("area", "heap"), 1 << 30),
        Metric.gauge("jvm_memory_used_bytes", Map.of("area", "nonheap"), 0),
        summary("_count", "Copy", 2),
        summary("_sum", "Copy", 0.125),
        summary("_count", "Mark", 0));
  }

  private static Metric summary(String part, String gc, double value) {
    Map<String, String> labels = Map.of("gc", gc);
    return new Metric("jvm_gc_collection_seconds", Metric.Kind.SUMMARY, part, labels, value);
  }

  private static String text(boolean open) {
    try (Counters counters = Counters.inMemory()) {
      counters.counter("loop0/requests").set(12);
      counters.gauge("loop0/output_bytes").set(3);
      counters.counter("loop1/requests").set(-1);
      counters.counter("a\"\\b/x-y").set(1);
      counters.gauge("up").set(1);
      counters.counter("handler h/handler_runs_up_to_10_us").set(7);
      counters.gauge("handler h/handler_p50_us").set(1500);
      counters.gauge("handler h/handler_first_us").set(-1);
      counters.counter("domain d/cpu_ms").set(2500);
      counters.counter("http/request_time_up_to_20_us").set(2);
      counters.counter("http/request_time_up_to_1000000_us").set(5);
      counters.counter("http/request_time_sum_us").set(1_500_000);
      counters.counter("http/request_time_count").set(6);
      return MetricsText.of(counters.snapshot(), more(), open);
    }
  }

  @Test
  void textOfPrometheus() {
    assertThat(text(false))
        .startsWith(
            """
            # HELP sluice_requests_total Replies begun.
            # TYPE sluice_requests_total counter
            sluice_requests_total{source="loop0"} 12
            sluice_requests_total{source="loop1"} -1
            # HELP sluice_output_bytes Memory that unread output takes.
            # TYPE sluice_output_bytes gauge
            sluice_output_bytes{source="loop0"} 3
            # HELP sluice_x_y_total x y
            # TYPE sluice_x_y_total counter
            sluice_x_y_total{source="a\\"\\\\b"} 1
            # HELP sluice_up up
            # TYPE sluice_up gauge
            sluice_up 1
            """)
        .contains("_runs_up_to_total{source=\"handler h\",seconds=\"0.00001\"} 7\n")
        .contains("sluice_handler_p50_seconds{source=\"handler h\"} 0.0015\n")
        .contains("sluice_handler_first_seconds{source=\"handler h\"} NaN\n")
        .contains("sluice_cpu_seconds_total{source=\"domain d\"} 2.5\n")
        .contains(
            """
            # TYPE sluice_request_duration_seconds histogram
            sluice_request_duration_seconds_bucket{source="http",le="0.00002"} 2
            sluice_request_duration_seconds_bucket{source="http",le="1.0"} 5
            sluice_request_duration_seconds_sum{source="http"} 1.5
            sluice_request_duration_seconds_bucket{source="http",le="+Inf"} 6
            sluice_request_duration_seconds_count{source="http"} 6
            """)
        .containsPattern("\nprocess_cpu_seconds_total [0-9.]+\n")
        .containsPattern("\nprocess_resident_memory_bytes [1-9][0-9.]+\n")
        .containsPattern("\nprocess_open_fds [1-9][0-9.]*\n")
        .contains("# TYPE sluice_build_info gauge\nsluice_build_info{java=\"a\\\\\\\"b\\nc\"} 1\n")
        .contains("# TYPE jvm_threads_started_total counter\njvm_threads_started_total 3\n")
        .contains(
            """
            # TYPE jvm_memory_used_bytes gauge
            jvm_memory_used_bytes{area="heap"} 1073741824
            jvm_memory_used_bytes{area="nonheap"} 0
            """)
        .contains(
            """
            # TYPE jvm_gc_collection_seconds summary
            jvm_gc_collection_seconds_count{gc="Copy"} 2
            jvm_gc_collection_seconds_sum{gc="Copy"} 0.125
            jvm_gc_collection_seconds_count{gc="Mark"} 0
            """)
        .doesNotContain("# UNIT")
        .doesNotContain("# EOF");
  }

  @Test
  void openMetricsHasUnitsAndAnEnd() {
    assertThat(text(true))
        .contains("# TYPE sluice_requests counter\nsluice_requests_total{source=\"loop0\"} 12\n")
        .contains("# TYPE sluice_output_bytes gauge\n# UNIT sluice_output_bytes bytes\n")
        .contains("# TYPE sluice_cpu_seconds counter\n# UNIT sluice_cpu_seconds seconds\n")
        .contains("# UNIT sluice_request_duration_seconds seconds\n")
        .contains("# TYPE sluice_build info\nsluice_build_info{java=")
        .contains("# TYPE jvm_threads_started counter\njvm_threads_started_total 3\n")
        .endsWith("# EOF\n");
  }

  @Test
  void timesFallIntoTheirIntervals() {
    LatencyHistogram times = new LatencyHistogram();
    times.took(-1, 1);
    times.took(19_999, 2);
    times.took(20_000, 4);
    times.took(10_000_000_000L, 8);
    assertThat(times.countBelow(0)).isEqualTo(3);
    assertThat(times.countBelow(1)).isEqualTo(7);
    assertThat(times.countBelow(LatencyHistogram.bounds() - 1)).isEqualTo(7);
    assertThat(times.countBelow(LatencyHistogram.bounds())).isEqualTo(15);
    assertThat(times.sumMicros()).isEqualTo(80_000_119);
    assertThat(LatencyHistogram.boundMicros(0)).isEqualTo(20);
  }
}
