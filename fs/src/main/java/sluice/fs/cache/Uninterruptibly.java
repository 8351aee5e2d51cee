package sluice.fs.cache;

/// Waits without being ended by interrupts, because other threads need the block that is being
/// transferred. This class is thread-safe.
public final class Uninterruptibly {
  /// A limit on the duration of a wait, which turns a lost notification into a delay.
  private static final long LONGEST_MILLIS = 1000;

  private Uninterruptibly() {}

  /// Waits on a monitor that is held by the caller, until it is notified or one second has passed.
  public static void await(Object monitor) {
    await(monitor, LONGEST_MILLIS);
  }

  /// Waits like [#await(Object)] on behalf of a thread of this module. Such a thread is never
  /// interrupted intentionally, so the interrupt status is cleared because it would make every
  /// later wait return immediately.
  public static void awaitAsOwn(Object monitor) {
    awaitAsOwn(monitor, LONGEST_MILLIS);
  }

  static void awaitAsOwn(Object monitor, long millis) {
    await(monitor, millis);
    boolean _ = Thread.interrupted();
  }

  /// Pauses before a retry while another thread is about to finish. This method yields the
  /// processor because a virtual thread that spins could prevent the other thread from running on
  /// its carrier.
  @SuppressWarnings("ThreadPriorityCheck")
  static void pause() {
    Thread.onSpinWait();
    Thread.yield();
  }

  @SuppressWarnings("WaitNotInLoop") // all callers retry in a loop
  static void await(Object monitor, long millis) {
    try {
      monitor.wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      pause();
    }
  }
}
