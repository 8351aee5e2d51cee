package sluice.loop.server;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// A loop ran out of something in the last tenth of a second. Emitted by the [Watchdog]'s thread,
/// one event for all that happened in between, so that overload does not make more of itself.
@Category({"Sluice", "Loop"})
@StackTrace(false)
abstract class ShortageEvent extends Event {
  @Label("Loop")
  String loop = "";

  @Label("Times")
  long count;

  /// The limit on connections was reached.
  @Name("sluice.ConnectionsRefused")
  @Label("Connections Refused")
  @Description("More connections than the loop may have open")
  static final class Refused extends ShortageEvent {
    @Label("Open Connections")
    long open;
  }

  /// No chunk of the arena was free for what a client has sent.
  @Name("sluice.ReceivesStarved")
  @Label("Receives Starved")
  @Description("Receiving had to wait for a free buffer")
  static final class Starved extends ShortageEvent {}
}
