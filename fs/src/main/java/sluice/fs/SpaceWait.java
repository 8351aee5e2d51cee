package sluice.fs;

import java.util.function.LongSupplier;

/// How long one change has waited for space that is freed: see [FileTree#awaitSpace]. Of the thread
/// that makes the change.
///
/// A change that finds no space goes on while freed space becomes available, as other threads may
/// take it each time; two seconds after it first found none it gives up. Where commits take so long
/// that there were fewer than eight in that time, it waits for eight.
public final class SpaceWait {
  /// After so long a change gives up.
  public static final long LIMIT_NANOS = 2_000_000_000L;

  private static final int LEAST_TRIES = 8;

  private final LongSupplier nanoClock;
  private final long since;
  private int tries;

  /// Begins when a change has found no space for the first time.
  public SpaceWait() {
    this(System::nanoTime);
  }

  SpaceWait(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    since = nanoClock.getAsLong();
  }

  /// Notes that the change has found no space.
  ///
  /// @return whether it may be tried again
  public boolean mayTryAgain() {
    tries++;
    return tries <= LEAST_TRIES || nanoClock.getAsLong() - since < LIMIT_NANOS;
  }
}
