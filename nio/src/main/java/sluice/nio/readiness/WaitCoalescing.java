package sluice.nio.readiness;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/// The decision of whether the waits of a selector are coalesced, that is whether a wait sleeps for
/// a moment after an event has arrived, so that it returns more events at once. The thread that
/// selects calls.
///
/// A selector whose keys are served by other threads is woken for each arrival and for each key
/// that comes back. If it shares a core with a worker, the kernel lets it preempt that worker,
/// because it has slept and the worker has not. This costs two thread switches and a wait for every
/// two requests. While a coalesced wait sleeps, the workers run.
///
/// Coalescing delays a request by up to [#HOLD_NANOS] and the kernel's timer slack. It is therefore
/// tried only if waits are many and short, return few keys, and the interest of these keys is
/// dropped at once. It continues while a wait returns enough keys and the keys per time are not
/// fewer than without. If it does not pay, it is tried again after pauses of increasing length.
///
/// ```
///            two windows of many small waits
///   plain ─────────────────────────────────────▶ coalesced
///     ▲                                              │
///     └──────────────────────────────────────────────┘
///       too little comes: pause │ 32 windows: compare, pause or go on
/// ```
public final class WaitCoalescing {
  /// The time a coalesced wait sleeps before it checks for events.
  static final long HOLD_NANOS = 50_000;

  private static final int PLAIN_WAITS = 64;
  private static final int COALESCED_WAITS = 16;
  private static final int PLAIN_WINDOWS = 2;
  private static final int COALESCED_WINDOWS = 32;
  private static final int POOR_WINDOWS = 2;

  /// The interval between waits below which they count as many.
  private static final long DENSE_NANOS = 50_000;

  /// The numbers of keys per wait below which a plain wait returns few, and from which on a
  /// coalesced one returns enough.
  private static final int FEW = 4;

  private static final int ENOUGH = 8;

  /// The share of the plain key rate that counts as equal: a smaller loss may be chance.
  private static final double TOLERANCE = 0.9;

  private static final long MIN_PAUSE_NANOS = 10_000_000;
  private static final long MAX_PAUSE_NANOS = 5_000_000_000L;

  private final LongSupplier clock;
  private final IntSupplier drops;
  private boolean coalesced;

  /// The current window.
  private int waits;

  private int keys;
  private int dropsBefore;
  private long since;

  /// The number of consecutive windows, the best rate among them, and the number of consecutive
  /// windows with too few keys.
  private int windows;

  private double best;
  private int poor;

  private double bestPlain;
  private long pause = MIN_PAUSE_NANOS;
  private long notBefore;

  /// @param clock nanoseconds, as [System#nanoTime]
  /// @param drops the number of times a key's interest was dropped so far; may wrap. Read once per
  ///   window
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
  /// @param brought the number of ready keys
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

  /// Starts to coalesce, until it turns out not to pay.
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
