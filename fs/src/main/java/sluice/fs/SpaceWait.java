package sluice.fs;

import java.util.function.LongSupplier;

/// Limits how often a change waits for freed space (see [FileTree#awaitSpace]). Instances are
/// confined to the thread that makes the change.
///
/// A change that finds no free space is retried as long as space is being freed, because other
/// threads may allocate the freed space first. It fails two seconds after the first attempt, but
/// not before eight attempts have been made, because commits may be slow.
public final class SpaceWait {
  /// The time after which a change is no longer retried.
  public static final long LIMIT_NANOS = 2_000_000_000L;

  private static final int LEAST_TRIES = 8;

  private final LongSupplier nanoClock;
  private final long since;
  private int tries;

  /// Starts measuring the time. Should be called when a change finds no free space for the first
  /// time.
  public SpaceWait() {
    this(System::nanoTime);
  }

  SpaceWait(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    since = nanoClock.getAsLong();
  }

  /// Records an attempt that found no free space.
  ///
  /// @return true if the change may be retried
  public boolean mayTryAgain() {
    tries++;
    return tries <= LEAST_TRIES || nanoClock.getAsLong() - since < LIMIT_NANOS;
  }
}
