package sluice.domain.portal;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;

/// A thread of a service that runs its calls sequentially in the order in which they were added.
/// One thread at a time adds calls, and a thread of the service's party removes them.
final class ServiceThread {
  private final CallQueue calls = new CallQueue();
  private final Party owner;
  private final @Nullable ServiceThreads shared;
  private final Thread thread;
  private volatile boolean ended;

  /// True if the thread was woken to check for a waiting call and has not done so yet. Guarded by
  /// the lock of `shared`.
  boolean isLooking;

  /// True if the thread is in the list of free threads. Guarded by the lock of `shared`.
  boolean isFree;

  /// Starts the thread.
  ///
  /// @param shared the source of waiting calls, or null if all calls are added to this thread
  ServiceThread(Party owner, String name, @Nullable ServiceThreads shared) {
    this.owner = owner;
    this.shared = shared;
    thread = owner.serviceThread(name, this::run);
    thread.start();
  }

  void add(OpenCalls.Entry call) {
    calls.add(call);
    Carriers.call(thread);
  }

  /// Wakes the thread to check for a waiting call. If the calling thread belongs to the service,
  /// this thread runs on its carrier as soon as the caller waits.
  void look() {
    Carriers.handOver(thread);
  }

  /// Returns true if no call is queued here. Called by this thread.
  boolean isIdle() {
    return calls.isEmpty();
  }

  /// Terminates the thread and interrupts a running call.
  void end() {
    ended = true;
    owner.aside(thread::interrupt);
  }

  private void run() {
    try {
      work();
    } finally {
      if (shared != null) {
        shared.gone(this);
      }
    }
  }

  private void work() {
    while (!ended) {
      OpenCalls.Entry call = calls.poll();
      if (call == null && shared != null) {
        call = shared.next(this);
      }
      if (call == null) {
        LockSupport.park(this);
        Thread.interrupted(); // a late interrupt of a cancelled call, or that of end()
      } else {
        call.run(shared == null && calls.isEmpty());
      }
    }
  }
}
