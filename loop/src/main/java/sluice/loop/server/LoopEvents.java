package sluice.loop.server;

import jdk.jfr.FlightRecorder;
import sluice.loop.Loop;

/// The entry point to the JFR events. The event classes are only loaded once a recording is in
/// progress. Stateless; any thread may call.
public final class LoopEvents {
  private LoopEvents() {}

  /// Returns true if a recording has been requested in this process since it started. This costs
  /// one field read, and the first call loads one small class.
  public static boolean recording() {
    return FlightRecorder.isInitialized();
  }

  static void slowTurn(Loop loop, long nanos, String stack) {
    if (recording()) {
      SlowTurnEvent event = new SlowTurnEvent();
      event.loop = loop.name();
      event.workNanos = nanos;
      event.stack = stack;
      event.commit();
    }
  }

  static void refused(Loop loop, long count) {
    if (recording()) {
      ShortageEvent.Refused event = new ShortageEvent.Refused();
      event.loop = loop.name();
      event.count = count;
      event.open = loop.connectionCount();
      event.commit();
    }
  }

  static void starved(Loop loop, long count) {
    if (recording()) {
      ShortageEvent.Starved event = new ShortageEvent.Starved();
      event.loop = loop.name();
      event.count = count;
      event.commit();
    }
  }
}
