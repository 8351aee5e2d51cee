package sluice.vi.device;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The common state of all ports, which consists of the two work queues and the thread that sleeps
/// at each of them.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `sends`, `receives` | see [WorkQueue] | | |
/// | `sendSleeper`, `receiveSleeper` | the thread that waits at this queue | volatile | volatile |
public final class PortQueues {
  public final WorkQueue sends;
  public final WorkQueue receives;
  private final PortSpec spec;
  private volatile @Nullable Thread sendSleeper;
  private volatile @Nullable Thread receiveSleeper;

  /// @param spec the specification on which both sides have agreed
  public PortQueues(PortSpec spec) {
    this.spec = spec;
    sends = new WorkQueue(spec.sendDepth());
    receives = new WorkQueue(spec.receiveDepth());
  }

  PortSpec spec() {
    return spec;
  }

  /// Records that a thread is about to park.
  public void sleeps(Thread sleeper, boolean atSends) {
    if (atSends) {
      sendSleeper = sleeper;
    } else {
      receiveSleeper = sleeper;
    }
  }

  /// Records that the thread is polling again.
  public void wakes(boolean atSends) {
    if (atSends) {
      sendSleeper = null;
    } else {
      receiveSleeper = null;
    }
  }

  /// Returns true if a thread sleeps at either queue.
  public boolean hasSleeper() {
    return sendSleeper != null || receiveSleeper != null;
  }

  public void unparkSender() {
    LockSupport.unpark(sendSleeper);
  }

  public void unparkReceiver() {
    LockSupport.unpark(receiveSleeper);
  }

  public void unparkBoth() {
    unparkSender();
    unparkReceiver();
  }
}
