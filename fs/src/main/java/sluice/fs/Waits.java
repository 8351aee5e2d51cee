package sluice.fs;

/// Waiting that an interrupt does not break off: a block that is half read belongs to others too.
/// Any thread may call.
final class Waits {
  /// So that a lost notification would cost time, not a thread.
  private static final long LONGEST_MILLIS = 1000;

  private Waits() {}

  /// Waits on a monitor the caller holds, for a notification or a second.
  static void await(Object monitor) {
    await(monitor, LONGEST_MILLIS);
  }

  @SuppressWarnings("WaitNotInLoop") // every caller looks again
  static void await(Object monitor, long millis) {
    try {
      monitor.wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Thread.onSpinWait();
    }
  }
}
