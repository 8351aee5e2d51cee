package sluice.loop.server;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.HandlerTimes;
import sluice.loop.sockets.Log;
import sluice.loop.verdict.Verdict;

/// Reports the run times of handlers. They are published in a counters file, and therefore appear
/// in `sluice stat` and `/metrics`, and are recorded by the flight recorder. Any thread may call;
/// the watchdog's thread reads. A handler that is admitted under an existing name replaces the
/// previous one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `bySource` | any thread | concurrent map | under this object's lock |
/// | `said` | the watchdog | concurrent map | concurrent map |
/// | `into` | any thread | under this object's lock | the same |
///
/// At most [#MOST] names are shown. Further handlers are timed but not shown.
public final class HandlerReports {
  static final int MOST = 16;

  /// The gauge of a handler's verdict, see [Verdict#code].
  public static final String VERDICT = "handler_bound_bytecodes";

  private static final int NAME_LENGTH = 60;

  /// The minimum delay that a client is assumed to notice.
  private static final long LATE_NANOS = 1_000_000;

  /// The upper bounds of the intervals in a counters file, in microseconds. Between these bounds,
  /// quantiles return the histogram's values with a precision of 10 µs.
  private static final int[] UP_TO_MICROS = {
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000
  };

  private final Map<String, HandlerGuard> bySource = new ConcurrentHashMap<>();
  private final Map<String, HandlerGuard> said = new ConcurrentHashMap<>();
  private @Nullable CounterPublisher into;

  /// Adds a handler to the reports.
  public synchronized void show(HandlerGuard guard) {
    String source = source(guard.name());
    if (bySource.size() >= MOST && !bySource.containsKey(source)) {
      return;
    }
    CounterPublisher publisher = into;
    if (bySource.put(source, guard) == null && publisher != null) {
      publish(publisher, source);
    }
  }

  /// Publishes the current and all future handlers in a counters file.
  public synchronized void publishTo(CounterPublisher publisher, List<HandlerGuard> guards) {
    guards.forEach(this::show);
    into = publisher;
    bySource.keySet().forEach(each -> publish(publisher, each));
  }

  /// Returns the label of a handler. Slashes and most other special characters are replaced, and
  /// only the end of a long name is used.
  static String source(String name) {
    String plain = name.replaceAll("[^ -.0-~]", "|");
    return "handler " + plain.substring(Math.max(0, plain.length() - NAME_LENGTH));
  }

  /// Publishes a handler. A full table of counters must not cause the handler's connection to be
  /// closed.
  private void publish(CounterPublisher publisher, String source) {
    try {
      publisher.counter(source + "/handler_runs", () -> times(source).count());
      for (int micros : UP_TO_MICROS) {
        publisher.counter(
            source + "/handler_runs_up_to_" + micros + "_us",
            () -> times(source).countUpTo(micros * 1_000L));
      }
      publisher.counter(
          source + "/handler_runs_beyond_advice", () -> times(source).countBeyondAdvice());
      publisher.counter(source + "/handler_failures", () -> times(source).failures());
      quantile(publisher, source, "p50", 0.5);
      quantile(publisher, source, "p99", 0.99);
      quantile(publisher, source, "p99_9", 0.999);
      publisher.gauge(source + "/handler_max_us", () -> micros(times(source).maxNanos()));
      publisher.gauge(source + "/" + VERDICT, () -> verdict(source).code());
      publisher.gauge(source + "/handler_first_us", () -> micros(times(source).firstNanos()));
    } catch (IllegalArgumentException | IllegalStateException full) {
      Log.LOGGER.log(Level.WARNING, source + " is timed, but not shown", full);
    }
  }

  private void quantile(CounterPublisher publisher, String source, String name, double share) {
    publisher.gauge(
        source + "/handler_" + name + "_us", () -> micros(times(source).quantileNanos(share)));
  }

  private static long micros(long nanos) {
    return nanos < 0 ? -1 : (nanos + 999) / 1000;
  }

  private HandlerTimes times(String source) {
    HandlerGuard guard = bySource.get(source);
    return guard == null ? new HandlerTimes() : guard.times();
  }

  private Verdict verdict(String source) {
    HandlerGuard guard = bySource.get(source);
    return guard == null ? Verdict.TRUSTED : guard.verdict();
  }

  /// Logs the delay of each handler's first message once, and emits the run times if a recording is
  /// in progress.
  void report() {
    bySource.forEach(this::sayFirst);
    if (LoopEvents.recording()) {
      bySource.values().forEach(HandlerReports::report);
    }
  }

  /// Logs the delay of a handler's first message. A long delay is notable because it means that the
  /// handler was not warmed up, or not with a similar message.
  private void sayFirst(String source, HandlerGuard guard) {
    long first = guard.times().firstNanos();
    if (first < 0 || said.put(source, guard) == guard) {
      return;
    }
    Log.LOGGER.log(
        first >= LATE_NANOS ? Level.INFO : Level.DEBUG,
        () ->
            "handler '"
                + guard.name()
                + "': the first message waited "
                + micros(first)
                + " us for it to be loaded and run"
                + (first >= LATE_NANOS ? ". Fix: admit it with a sample, which warms it" : ""));
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
