package sluice.domain.portal;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;

/// One thread of a service: runs the calls that it is given one after another, in that order. Calls
/// are added by one thread at a time; a thread of the service's party takes them.
final class ServiceThread {
  private final CallQueue calls = new CallQueue();
  private final Party owner;
  private final @Nullable ServiceThreads shared;
  private final Thread thread;
  private volatile boolean ended;

  /// It was woken to look for a call that waits, and has not looked. Under the lock of `shared`.
  boolean isLooking;

  /// It is in the list of those that are free. Under the lock of `shared`.
  boolean isFree;

  /// @param shared where it looks for calls that have waited; null if all calls are added here
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

  /// Has it look for a call that waits. Where the calling thread is one of the service, this one
  /// runs when that waits, on its carrier.
  void look() {
    Carriers.handOver(thread);
  }

  /// Returns true if it was given no call that it has not taken. Called by its thread.
  boolean isIdle() {
    return calls.isEmpty();
  }

  /// Interrupts the call that runs.
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
        Thread.interrupted(); // of a cancelled call that had just ended, or of end()
      } else {
        call.run(shared == null && calls.isEmpty());
      }
    }
  }
}
