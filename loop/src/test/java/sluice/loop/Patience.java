package sluice.loop;

/// The time that a test gives a loop which waits for something: 100 s, far more than it takes, and
/// at most until JUnit interrupts the test, after which a parked thread only spins. Belongs to the
/// thread that waits.
final class Patience {
  static final long SECONDS = 100;

  private final long end = System.nanoTime() + SECONDS * 1_000_000_000L;

  /// Called in each round of the loop.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  void check(String what) {
    if (Thread.interrupted()) {
      throw new AssertionError("interrupted while waiting for: " + what);
    }
    if (System.nanoTime() - end > 0) {
      throw new AssertionError("did not come within " + SECONDS + " s: " + what);
    }
  }
}
