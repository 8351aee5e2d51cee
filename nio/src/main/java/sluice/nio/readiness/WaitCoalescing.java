package sluice.nio.readiness;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/// Decides whether the waits of a selector are coalesced: whether one goes on sleeping for a moment
/// after something has come, so that it brings more at once. The thread that selects calls.
///
/// A selector whose keys are served by other threads is woken for each arrival and for each key
/// that comes back. Where it shares a core with a worker the kernel lets it interrupt that worker,
/// since it has slept and the worker has not: two switches between threads and a wait for every two
/// requests. While a coalesced wait sleeps, the workers run.
///
/// That costs a request up to [#HOLD_NANOS] and the kernel's timer slack. So it is tried only where
/// waits are many and short, bring little, and the interest in what they bring is dropped at once;
/// it goes on while a wait brings enough and the keys per time are not fewer than without. Where it
/// does not pay it is tried again later, and later each time.
///
/// ```
///            two windows of many small waits
///   plain ─────────────────────────────────────▶ coalesced
///     ▲                                              │
///     └──────────────────────────────────────────────┘
///       too little comes: pause │ 32 windows: compare, pause or go on
/// ```
public final class WaitCoalescing {
  /// How long a coalesced wait sleeps before it looks.
  static final long HOLD_NANOS = 50_000;

  private static final int PLAIN_WAITS = 64;
  private static final int COALESCED_WAITS = 16;
  private static final int PLAIN_WINDOWS = 2;
  private static final int COALESCED_WINDOWS = 32;
  private static final int POOR_WINDOWS = 2;

  /// Waits that follow each other faster than this are many.
  private static final long DENSE_NANOS = 50_000;

  /// Keys per wait: below this a plain wait brings little, and a coalesced one enough from this on.
  private static final int FEW = 4;

  private static final int ENOUGH = 8;

  /// Loss of keys per time that may be chance.
  private static final double TOLERANCE = 0.9;

  private static final long MIN_PAUSE_NANOS = 10_000_000;
  private static final long MAX_PAUSE_NANOS = 5_000_000_000L;

  private final LongSupplier clock;
  private final IntSupplier drops;
  private boolean coalesced;

  /// The window under way.
  private int waits;

  private int keys;
  private int dropsBefore;
  private long since;

  /// Windows in a row, the best rate among them, and those in a row that brought too little.
  private int windows;

  private double best;
  private int poor;

  private double bestPlain;
  private long pause = MIN_PAUSE_NANOS;
  private long notBefore;

  /// @param clock nanoseconds, as [System#nanoTime]
  /// @param drops how often a key's interest was dropped so far; may wrap. Asked once a window
  WaitCoalescing(LongSupplier clock, IntSupplier drops) {
    this.clock = clock;
    this.drops = drops;
    since = clock.getAsLong();
    notBefore = since;
  }

  /// Whether the next wait is to be coalesced.
  boolean isOn() {
    return coalesced;
  }

  /// A wait is over.
  ///
  /// @param brought keys that are ready
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

  /// Coalesces from now on, until it turns out not to pay.
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
