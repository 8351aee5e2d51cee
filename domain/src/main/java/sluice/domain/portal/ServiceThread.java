package sluice.domain.portal;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/// The thread of one service: runs its calls one after another, in the order in which they came.
/// Any thread may add calls; a thread of its own takes them.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | waits | the service's thread | volatile | volatile |
/// | ended | the thread that ends the service | volatile | volatile |
final class ServiceThread {
  private final ConcurrentLinkedQueue<ServiceCall> calls = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean waits;
  private volatile boolean ended;

  ServiceThread(ThreadFactory threads, String name) {
    thread = threads.newThread(this::run);
    thread.setName(name);
    thread.start();
  }

  static void once(ThreadFactory threads, ServiceCall call, String name) {
    Thread thread = threads.newThread(call::run);
    thread.setName(name);
    thread.start();
  }

  void add(ServiceCall call) {
    calls.add(call);
    if (waits) {
      LockSupport.unpark(thread);
    }
  }

  /// Interrupts the call that runs; those that wait have been abandoned.
  void end() {
    ended = true;
    thread.interrupt();
  }

  private void run() {
    while (!ended) {
      ServiceCall next = calls.poll();
      if (next != null) {
        next.run();
        continue;
      }
      waits = true;
      // A call that came before `waits` was seen is found here; a later one unparks.
      if (calls.isEmpty() && !ended) {
        LockSupport.park(this);
        Thread.interrupted(); // of a cancelled call that had just ended, or of end()
      }
      waits = false;
    }
  }
}
