package sluice.nio.readiness;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/// Decides whether the waits of a selector are coalesced. A coalesced wait sleeps for a short time
/// after an event has arrived, so that it returns more events at once. The methods are called by
/// the selecting thread.
///
/// A selector whose keys are served by other threads is woken for each arrival and for each key
/// whose interest is restored. If it shares a core with a worker, it preempts that worker because
/// the kernel favors a thread that has slept. This costs two context switches and a wait for every
/// two requests. While a coalesced wait sleeps, the workers can run without interruption.
///
/// Coalescing delays a request by up to [#HOLD_NANOS] plus the kernel's timer slack. It is
/// therefore only attempted if waits are frequent and short, return few keys, and the interest of
/// these keys is dropped immediately. It continues as long as each wait returns enough keys and the
/// rate of keys is not lower than without coalescing. If it is not beneficial, it is attempted
/// again after pauses of increasing length.
///
/// ```
///            two windows of many small waits
///   plain ─────────────────────────────────────▶ coalesced
///     ▲                                              │
///     └──────────────────────────────────────────────┘
///       too little comes: pause │ 32 windows: compare, pause or go on
/// ```
public final class WaitCoalescing {
  /// The time for which a coalesced wait sleeps before it checks for events.
  static final long HOLD_NANOS = 50_000;

  private static final int PLAIN_WAITS = 64;
  private static final int COALESCED_WAITS = 16;
  private static final int PLAIN_WINDOWS = 2;
  private static final int COALESCED_WINDOWS = 32;
  private static final int POOR_WINDOWS = 2;

  /// The interval between waits below which they are considered frequent.
  private static final long DENSE_NANOS = 50_000;

  /// The number of keys per wait below which a plain wait is considered to return few keys, and the
  /// number at which a coalesced wait is considered to return enough.
  private static final int FEW = 4;

  private static final int ENOUGH = 8;

  /// The fraction of the plain key rate that is considered equal to it, since a smaller loss may be
  /// due to chance.
  private static final double TOLERANCE = 0.9;

  private static final long MIN_PAUSE_NANOS = 10_000_000;
  private static final long MAX_PAUSE_NANOS = 5_000_000_000L;

  private final LongSupplier clock;
  private final IntSupplier drops;
  private boolean coalesced;

  /// The number of waits in the current window.
  private int waits;

  private int keys;
  private int dropsBefore;
  private long since;

  /// The number of consecutive windows, the best rate among them, and the number of consecutive
  /// windows that returned too few keys.
  private int windows;

  private double best;
  private int poor;

  private double bestPlain;
  private long pause = MIN_PAUSE_NANOS;
  private long notBefore;

  /// @param clock returns the time in nanoseconds, as [System#nanoTime] does
  /// @param drops returns the number of times that the interest of a key has been dropped, which
  ///   may wrap around; it is read once per window
  WaitCoalescing(LongSupplier clock, IntSupplier drops) {
    this.clock = clock;
    this.drops = drops;
    since = clock.getAsLong();
    notBefore = since;
  }

  /// Returns true if the next wait is to be coalesced.
  boolean isOn() {
    return coalesced;
  }

  /// Records the end of a wait.
  ///
  /// @param brought the number of keys that were ready
  void waited(int brought) {
    keys += brought;
    if (++waits == (coalesced ? COALESCED_WAITS : PLAIN_WAITS)) {
      long now = clock.getAsLong();
      int dropsNow = drops.getAsInt();
      double rate = (double) keys / Math.max(1, now - since);
      best = Math.max(best, rate);
      if (coalesced) {
        endCoalesced(now);
      } else {
        endPlain(now, dropsNow - dropsBefore);
      }
      beginWindow(now, dropsNow);
    }
  }

  private void beginWindow(long now, int dropsNow) {
    waits = 0;
    keys = 0;
    since = now;
    dropsBefore = dropsNow;
  }

  private void endPlain(long now, int dropped) {
    boolean many = now - since < PLAIN_WAITS * DENSE_NANOS;
    boolean few = keys < PLAIN_WAITS * FEW;
    boolean handedOver = keys > 0 && 2 * dropped >= keys;
    if (!many || !few || !handedOver || now - notBefore < 0) {
      forget();
    } else if (++windows == PLAIN_WINDOWS) {
      bestPlain = best;
      begin();
    }
  }

  private void endCoalesced(long now) {
    poor = keys < COALESCED_WAITS * ENOUGH ? poor + 1 : 0;
    boolean tooLittle = poor == POOR_WINDOWS;
    if (++windows == COALESCED_WINDOWS || tooLittle) {
      boolean pays = !tooLittle && best >= TOLERANCE * bestPlain;
      notBefore = pays ? now : now + pause;
      pause = pays ? MIN_PAUSE_NANOS : Math.min(2 * pause, MAX_PAUSE_NANOS);
      coalesced = false;
      forget();
    }
  }

  /// Starts coalescing, which continues until it proves not to be beneficial.
  public void begin() {
    coalesced = true;
    forget();
  }

  private void forget() {
    windows = 0;
    best = 0;
    poor = 0;
  }
}
