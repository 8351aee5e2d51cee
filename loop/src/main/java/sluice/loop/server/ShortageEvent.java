package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// The event of a loop that ran out of a resource in the last tenth of a second. Emitted by the
/// [Watchdog]'s thread, one event for all occurrences in that time, so that overload does not
/// amplify itself.
@Category({"Sluice", "Loop"})
@StackTrace(false)
abstract class ShortageEvent extends Event {
  @Label("Loop")
  String loop = "";

  @Label("Times")
  long count;

  /// The event of reaching the limit on connections.
  @Name("sluice.ConnectionsRefused")
  @Label("Connections Refused")
  @Description("More connections than the loop may have open")
  static final class Refused extends ShortageEvent {
    @Label("Open Connections")
    long open;
  }

  /// The event of a receive that found no free chunk of the arena.
  @Name("sluice.ReceivesStarved")
  @Label("Receives Starved")
  @Description("Receiving had to wait for a free buffer")
  static final class Starved extends ShortageEvent {}
}
