package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// The event of a turn whose work took too long. Emitted by the [Watchdog]'s thread when the turn
/// has ended.
@Name("sluice.SlowTurn")
@Label("Slow Turn")
@Category({"Sluice", "Loop"})
@Description("An event loop worked on one batch for long; its other connections waited")
@StackTrace(false)
final class SlowTurnEvent extends Event {
  @Label("Loop")
  String loop = "";

  @Label("Work")
  @Description("Time as the watchdog saw it, a few milliseconds inexact")
  @Timespan(Timespan.NANOSECONDS)
  long workNanos;

  @Label("Stack of the loop's thread")
  String stack = "";
}
