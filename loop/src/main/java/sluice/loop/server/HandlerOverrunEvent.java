package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// The event of a trusted handler that exceeded its limit. Emitted by the [Watchdog]'s thread.
@Name("sluice.HandlerOverrun")
@Label("Handler Overrun")
@Category({"Sluice", "Loop"})
@Description("A handler held up its event loop; it is disabled once it returns")
@StackTrace(false)
final class HandlerOverrunEvent extends Event {
  @Label("Handler")
  String handler = "";

  @Label("Loop")
  String loop = "";

  @Label("Limit")
  @Timespan(Timespan.NANOSECONDS)
  long limitNanos;

  @Label("Stack of the loop's thread")
  String stack = "";
}
