package sluice.domain.portal;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/// The thread of one service: runs its calls one after another, in the order in which they came.
/// Any thread may add calls; a thread of the service's party takes them.
///
/// A virtual thread keeps the frames that it began with, and the JVM takes frames that were
/// interpreted the long way off and on its carrier, at every wait. What begins a thread is compiled
/// when some hundred have begun. So a service goes on in a new thread after some calls, until
/// enough have begun.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | thread, ended | the service's thread; the thread that ends the service | volatile | volatile |
/// | threads | the service's thread | plain | plain |
final class ServiceThread {
  private static final int CALLS_OF_A_THREAD = 1_000;

  /// The JVM compiles a method after 200 calls.
  private static final int THREADS = 300;

  private final ConcurrentLinkedQueue<Runnable> calls = new ConcurrentLinkedQueue<>();
  private final Party owner;
  private final String name;
  private volatile Thread thread;
  private volatile boolean ended;
  private int threads;

  ServiceThread(Party owner, String name) {
    this.owner = owner;
    this.name = name;
    thread = owner.serviceThread(name, this::run);
    thread.start();
  }

  static void once(Party owner, Runnable call, String name) {
    owner.serviceThread(name, call).start();
  }

  /// The thread is read after the call was added: what a thread that follows does not see was added
  /// when that was known here.
  void add(Runnable call) {
    calls.add(call);
    LockSupport.unpark(thread);
  }

  /// Interrupts the call that runs; those that wait have been abandoned.
  void end() {
    ended = true;
    thread.interrupt();
  }

  private void run() {
    int taken = 0;
    while (!ended) {
      Runnable call = calls.poll();
      if (call == null) {
        LockSupport.park(this);
        Thread.interrupted(); // of a cancelled call that had just ended, or of end()
      } else {
        call.run();
        if (++taken % CALLS_OF_A_THREAD == 0 && isFollowed()) {
          return;
        }
      }
    }
  }

  /// Whether another thread has taken the place of this one.
  private boolean isFollowed() {
    if (threads >= THREADS || !Thread.currentThread().isVirtual()) {
      return false;
    }
    threads++;
    Thread self = thread;
    try {
      Thread next = owner.serviceThread(name, this::run);
      thread = next; // before it starts: it looks for calls before it waits
      next.start();
      return true;
    } catch (RuntimeException e) {
      thread = self; // the budget has no thread left, or the party has ended
      return false;
    }
  }
}
