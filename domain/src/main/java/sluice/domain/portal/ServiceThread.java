package sluice.domain.portal;

import java.util.concurrent.LinkedBlockingQueue;

/// The thread of one service: runs its calls one after another, in the order in which they came.
/// Any thread may add calls; a virtual thread of its own takes them.
final class ServiceThread {
  private final LinkedBlockingQueue<Runnable> calls = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean ended;

  ServiceThread(String name) {
    thread = Thread.ofVirtual().name(name).start(this::run);
  }

  static void once(Runnable call, String name) {
    Thread.ofVirtual().name(name).start(call);
  }

  void add(Runnable call) {
    calls.add(call);
  }

  /// Interrupts the call that runs; those that wait have been abandoned.
  void end() {
    ended = true;
    thread.interrupt();
  }

  private void run() {
    while (!ended) {
      try {
        calls.take().run();
      } catch (InterruptedException e) {
        // of a cancelled call that had just ended, or of end()
      }
    }
  }
}
