package sluice.fs;

import java.util.function.LongSupplier;

/// A limit on the attempts of one change to wait for freed space, see [FileTree#awaitSpace].
/// Confined to the thread that makes the change.
///
/// A change that finds no space tries again while freed space becomes available, because other
/// threads may take it each time. It gives up two seconds after the first attempt, but not before
/// eight attempts, because commits may be slow.
public final class SpaceWait {
  /// The time after which a change gives up.
  public static final long LIMIT_NANOS = 2_000_000_000L;

  private static final int LEAST_TRIES = 8;

  private final LongSupplier nanoClock;
  private final long since;
  private int tries;

  /// Starts the time. Called when a change has found no space for the first time.
  public SpaceWait() {
    this(System::nanoTime);
  }

  SpaceWait(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    since = nanoClock.getAsLong();
  }

  /// Counts an attempt that found no space.
  ///
  /// @return true if the change may be tried again
  public boolean mayTryAgain() {
    tries++;
    return tries <= LEAST_TRIES || nanoClock.getAsLong() - since < LIMIT_NANOS;
  }
}
