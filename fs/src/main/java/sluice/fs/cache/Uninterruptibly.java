package sluice.fs.cache;

/// Waiting that an interrupt does not break off: a block that is half read belongs to others too.
/// Any thread may call.
public final class Uninterruptibly {
  /// So that a lost notification would cost time, not a thread.
  private static final long LONGEST_MILLIS = 1000;

  private Uninterruptibly() {}

  /// Waits on a monitor the caller holds, for a notification or a second.
  public static void await(Object monitor) {
    await(monitor, LONGEST_MILLIS);
  }

  /// As [#await(Object)], of a thread of this module, which nothing of ours interrupts: it keeps no
  /// interrupt, which would end each later wait at once.
  public static void awaitAsOwn(Object monitor) {
    awaitAsOwn(monitor, LONGEST_MILLIS);
  }

  static void awaitAsOwn(Object monitor, long millis) {
    await(monitor, millis);
    boolean _ = Thread.interrupted();
  }

  /// Before looking again at what another thread is about to finish. Gives the processor away: a
  /// virtual thread that spins would keep its carrier from the one it waits for.
  @SuppressWarnings("ThreadPriorityCheck")
  static void pause() {
    Thread.onSpinWait();
    Thread.yield();
  }

  @SuppressWarnings("WaitNotInLoop") // every caller looks again
  static void await(Object monitor, long millis) {
    try {
      monitor.wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      pause();
    }
  }
}
