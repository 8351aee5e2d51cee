package sluice.fs.cache;

/// Waits that an interrupt does not end, because other threads need the block being transferred.
/// Safe for use by any thread.
public final class Uninterruptibly {
  /// A limit that turns a lost notification into a delay.
  private static final long LONGEST_MILLIS = 1000;

  private Uninterruptibly() {}

  /// Waits on a monitor that the caller holds, for a notification or one second.
  public static void await(Object monitor) {
    await(monitor, LONGEST_MILLIS);
  }

  /// Waits like [#await(Object)], for a thread of this module. Such a thread is not interrupted on
  /// purpose: the interrupt status is cleared, because it would end each later wait at once.
  public static void awaitAsOwn(Object monitor) {
    awaitAsOwn(monitor, LONGEST_MILLIS);
  }

  static void awaitAsOwn(Object monitor, long millis) {
    await(monitor, millis);
    boolean _ = Thread.interrupted();
  }

  /// Pauses before a retry, while another thread is about to finish. Yields the processor, because
  /// a virtual thread that spins could keep the other from its carrier.
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
