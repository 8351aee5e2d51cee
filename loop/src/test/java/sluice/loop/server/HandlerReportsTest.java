package sluice.loop.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.HandlerGuard;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;

final class HandlerReportsTest {
  private static HandlerGuard guard(String name, long nanos) {
    HandlerGuard guard = new HandlerGuard(name, 1_000_000);
    guard.times().ran(nanos);
    return guard;
  }

  private static long value(CounterPublisher from, String label) {
    return from.snapshot().values().stream()
        .filter(each -> each.label().equals(label))
        .mapToLong(CounterValue::value)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void timesOfEachHandlerAreShownWheneverItCame(@TempDir Path directory) {
    HandlerReports reports = new HandlerReports();
    reports.show(guard("/early", 15_000));
    try (Counters counters = Counters.open(directory, 100)) {
      CounterPublisher into = new CounterPublisher(counters);
      reports.publishTo(into, List.of(guard("given", 150_000)));
      reports.show(guard("late", 2_000));
      assertThat(value(into, "handler |early/handler_p50_us")).isEqualTo(15);
      assertThat(value(into, "handler |early/handler_runs_up_to_10_us")).isZero();
      assertThat(value(into, "handler |early/handler_runs_up_to_20_us")).isEqualTo(1);
      assertThat(value(into, "handler given/handler_max_us")).isEqualTo(150);
      assertThat(value(into, "handler late/handler_first_us")).isEqualTo(2);
      reports.show(guard("late", 9_000));
      assertThat(value(into, "handler late/handler_first_us")).isEqualTo(9);
    }
  }

  @Test
  void aFullTableAndLongNamesDoNoHarm(@TempDir Path directory) {
    HandlerReports reports = new HandlerReports();
    try (Counters counters = Counters.open(directory, 20)) {
      CounterPublisher into = new CounterPublisher(counters);
      reports.publishTo(into, List.of());
      String end = "x".repeat(60);
      reports.show(guard("a long path/" + end, 1));
      assertThat(value(into, "handler " + end + "/handler_runs")).isEqualTo(1);
      reports.show(guard("one too many", 1));
      assertThat(counters.snapshot().values()).hasSizeLessThanOrEqualTo(20);
    }
  }
}
