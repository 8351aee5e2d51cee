package sluice.loop.server;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.loop.HandlerTimes;
import sluice.loop.counters.CounterPublisher;

/// Shows how long handlers run: in a counters file, and so in `sluice stat` and `/metrics`, and to
/// a recording. Any thread may call; the watchdog's reads. A handler that is admitted under the
/// name of another takes its place.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `byName` | any thread | concurrent map | under this object's lock |
/// | `into` | any thread | under this object's lock | the same |
///
/// Limits: [#MOST] names; the handlers after that are timed, and not shown.
public final class HandlerReports {
  static final int MOST = 16;

  /// Ends of the intervals that a counters file has, in microseconds; between them, quantiles tell
  /// what the histogram knows to 10 µs.
  private static final int[] UP_TO_MICROS = {
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000
  };

  private final Map<String, HandlerGuard> byName = new ConcurrentHashMap<>();
  private @Nullable CounterPublisher into;

  /// Shows a handler from now on.
  public synchronized void show(HandlerGuard guard) {
    String name = guard.name();
    if (byName.size() >= MOST && !byName.containsKey(name)) {
      return;
    }
    CounterPublisher publisher = into;
    if (byName.put(name, guard) == null && publisher != null) {
      publish(publisher, name);
    }
  }

  /// Shows what is known, and what comes, in a counters file.
  public synchronized void publishTo(CounterPublisher publisher, List<HandlerGuard> guards) {
    guards.forEach(this::show);
    into = publisher;
    byName.keySet().forEach(each -> publish(publisher, each));
  }

  private void publish(CounterPublisher publisher, String name) {
    String source = "handler " + name.replace('/', '|');
    publisher.counter(source + "/handler_runs", () -> times(name).count());
    for (int micros : UP_TO_MICROS) {
      publisher.counter(
          source + "/handler_runs_up_to_" + micros + "_us",
          () -> times(name).countUpTo(micros * 1_000L));
    }
    publisher.gauge(source + "/handler_p50_us", () -> micros(times(name).quantileNanos(0.5)));
    publisher.gauge(source + "/handler_p99_us", () -> micros(times(name).quantileNanos(0.99)));
    publisher.gauge(source + "/handler_p99_9_us", () -> micros(times(name).quantileNanos(0.999)));
    publisher.gauge(source + "/handler_max_us", () -> micros(times(name).maxNanos()));
    publisher.gauge(source + "/handler_first_us", () -> micros(times(name).firstNanos()));
  }

  private static long micros(long nanos) {
    return nanos < 0 ? -1 : (nanos + 999) / 1000;
  }

  private HandlerTimes times(String name) {
    HandlerGuard guard = byName.get(name);
    return guard == null ? new HandlerTimes() : guard.times();
  }

  /// Tells a recording what there is, if one runs.
  void report() {
    if (LoopEvents.recording()) {
      byName.values().forEach(HandlerReports::report);
    }
  }

  private static void report(HandlerGuard guard) {
    HandlerTimes times = guard.times();
    HandlerTimesEvent event = new HandlerTimesEvent();
    event.handler = guard.name();
    event.runs = times.count();
    event.medianNanos = times.quantileNanos(0.5);
    event.p99Nanos = times.quantileNanos(0.99);
    event.longestNanos = times.maxNanos();
    event.firstNanos = Math.max(0, times.firstNanos());
    event.histogram = times.toString();
    event.commit();
  }
}
