package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// The event that contains the run times of a handler so far. Emitted once a second by the
/// [Watchdog]'s thread.
@Name("sluice.HandlerTimes")
@Label("Handler Times")
@Category({"Sluice", "Loop"})
@Description("How long the runs of a handler took since it was admitted, to 10 microseconds")
@StackTrace(false)
final class HandlerTimesEvent extends Event {
  @Label("Handler")
  String handler = "";

  @Label("Runs")
  long runs;

  @Label("Median")
  @Timespan(Timespan.NANOSECONDS)
  long medianNanos;

  @Label("99 of 100")
  @Timespan(Timespan.NANOSECONDS)
  long p99Nanos;

  @Label("Longest")
  @Timespan(Timespan.NANOSECONDS)
  long longestNanos;

  @Label("First")
  @Timespan(Timespan.NANOSECONDS)
  long firstNanos;

  @Label("Runs that took less than so many microseconds, and no less than the number before")
  String histogram = "";
}
