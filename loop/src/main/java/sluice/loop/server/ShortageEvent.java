package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// The event of a loop that ran out of a resource within the last tenth of a second. The
/// [Watchdog]'s thread emits a single event for all occurrences in that period, so that overload
/// does not amplify itself.
@Category({"Sluice", "Loop"})
@StackTrace(false)
abstract class ShortageEvent extends Event {
  @Label("Loop")
  String loop = "";

  @Label("Times")
  long count;

  /// The event emitted when the connection limit is reached.
  @Name("sluice.ConnectionsRefused")
  @Label("Connections Refused")
  @Description("More connections than the loop may have open")
  static final class Refused extends ShortageEvent {
    @Label("Open Connections")
    long open;
  }

  /// The event emitted when no chunk of the arena was free for a receive.
  @Name("sluice.ReceivesStarved")
  @Label("Receives Starved")
  @Description("Receiving had to wait for a free buffer")
  static final class Starved extends ShortageEvent {}
}
