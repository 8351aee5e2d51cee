package sluice.domain.portal;

import java.util.concurrent.locks.LockSupport;
import sluice.domain.carrier.Carriers;

/// The thread of one service: runs its calls one after another, in the order in which they came.
/// Calls are added under the service's monitor; a thread of the service's party takes them.
final class ServiceThread {
  private final CallQueue calls = new CallQueue();
  private final Party owner;
  private final Thread thread;
  private volatile boolean ended;

  ServiceThread(Party owner, String name) {
    this.owner = owner;
    thread = owner.serviceThread(name, this::run);
    thread.start();
  }

  static void once(Party owner, ServiceCall call, String name) {
    owner.serviceThread(name, () -> call.run(true)).start();
  }

  void add(ServiceCall call) {
    calls.add(call);
    Carriers.handOver(thread);
  }

  /// Interrupts the call that runs; those that wait have been abandoned.
  void end() {
    ended = true;
    owner.aside(thread::interrupt);
  }

  private void run() {
    while (!ended) {
      ServiceCall call = calls.poll();
      if (call == null) {
        LockSupport.park(this);
        Thread.interrupted(); // of a cancelled call that had just ended, or of end()
      } else {
        call.run(calls.isEmpty());
      }
    }
  }
}
