package sluice.loop.server;

import jdk.jfr.FlightRecorder;
import sluice.loop.Loop;

/// The way to the JFR events: their classes are loaded when a recording runs, and not before.
/// Stateless; any thread may call.
public final class LoopEvents {
  private LoopEvents() {}

  /// Whether this process has been asked for a recording since it started. Costs one field; the
  /// first call loads one small class.
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
