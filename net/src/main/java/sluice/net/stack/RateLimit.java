package sluice.net.stack;

/// A token bucket that limits the number of events per second. The same number of events is allowed
/// in a burst. Instances are owned by the stack's thread.
final class RateLimit {
  private static final long SECOND = 1_000_000_000L;

  private final int perSecond;
  private long credit;
  private long last;

  RateLimit(int perSecond, long now) {
    this.perSecond = perSecond;
    this.credit = perSecond * SECOND;
    this.last = now;
  }

  /// Acquires a token.
  ///
  /// @return false if no token is available
  boolean take(long now) {
    long passed = Math.min(SECOND, Math.max(0, now - last));
    last = now;
    credit = Math.min(perSecond * SECOND, credit + passed * perSecond);
    if (credit < SECOND) {
      return false;
    }
    credit -= SECOND;
    return true;
  }
}
