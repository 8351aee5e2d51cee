package sluice.domain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.HostThread;

/// The disposable threads of one domain. They run cleanup tasks ("errands") that may execute code
/// of the domain or wait for a lock held by that code. For example, interrupting a thread closes a
/// channel, shutting down a pool walks its queue, and unregistering a bean notifies it. Any thread
/// may add errands. The warden's thread supervises them.
///
/// ```
///  add ──► waiting ──► worker ── done ──► next errand, or idle: the thread ends after a while
///                         └── 100 ms ──► left: interrupted, named in stat; a new worker goes on
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | waiting, known, worker, left, ended | any | under the lock | under the lock |
/// | errand, sinceNanos of a worker | its thread | under the lock | under the lock |
final class Closers {
  /// The kind of an errand, which is shown in `stat`.
  enum Kind {
    INTERRUPT,
    POOL,
    SOCKET,
    SERVICE,
    CALLS,
    BUNDLES,
    BEANS,
    VALUES,
    LOGGERS,
    DRIVERS;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The work of an errand. It may throw any exception, because code of the domain reaches a closed
  /// gate.
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  /// The time after which a running errand is late and keeps its thread for itself.
  static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LINGER_MILLIS = 200;

  /// The maximum number of abandoned threads of one domain.
  private static final int MOST_LEFT = 1_024;

  private record Errand(Kind kind, Object subject, Step step) {}

  private final class Worker implements Runnable {
    private final Thread thread = HostThread.daemon("close-" + domain, this);
    private @Nullable Errand errand;
    private long sinceNanos;
    private boolean isLeft;

    @Override
    public void run() {
      for (Errand next = next(this); next != null; next = next(this)) {
        try {
          next.step.run();
        } catch (Throwable e) { // code of the domain may throw anything
          Thread.interrupted();
        }
      }
    }
  }

  private final String domain;
  private final Runnable onLeft;
  private final Runnable onIdle;
  private final ArrayDeque<Errand> waiting = new ArrayDeque<>();
  private final IdentityHashMap<Object, Errand> known = new IdentityHashMap<>();
  private final List<Worker> left = new ArrayList<>();
  private @Nullable Worker worker;
  private boolean ended;

  /// Creates the closers of a domain. Neither callback may run code of the domain.
  ///
  /// @param onLeft invoked when a thread is abandoned to a late errand
  /// @param onIdle invoked in a worker that has completed its last errand
  Closers(String domain, Runnable onLeft, Runnable onIdle) {
    this.domain = domain;
    this.onLeft = onLeft;
    this.onIdle = onIdle;
  }

  /// Queues a step, unless an errand for the same subject is waiting or running.
  void add(Kind kind, Object subject, Step step) {
    synchronized (known) {
      if (known.containsKey(subject)) {
        return;
      }
      Errand errand = new Errand(kind, subject, step);
      known.put(subject, errand);
      waiting.add(errand);
      known.notifyAll();
      work();
    }
  }

  /// Starts a worker if errands are waiting and none is running. The caller must hold the lock.
  private void work() {
    if (worker == null && !waiting.isEmpty() && left.size() < MOST_LEFT) {
      Worker made = new Worker();
      try {
        made.thread.start();
        worker = made;
      } catch (OutOfMemoryError e) {
        return; // no thread available: the next look tries again
      }
    }
  }

  /// Completes the worker's last errand and returns the next one, or null if its thread should
  /// terminate.
  private @Nullable Errand next(Worker by) {
    boolean isIdle;
    synchronized (known) {
      Errand last = by.errand;
      by.errand = null;
      if (last != null) {
        known.remove(last.subject);
      }
      if (by.isLeft) {
        left.remove(by);
        return null;
      }
      isIdle = last != null && waiting.isEmpty();
    }
    if (isIdle) {
      onIdle.run();
    }
    synchronized (known) {
      awaitErrand();
      Errand next = waiting.poll();
      by.errand = next;
      by.sinceNanos = System.nanoTime();
      if (next == null) {
        worker = null;
      }
      return next;
    }
  }

  private void awaitErrand() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
    while (waiting.isEmpty() && !ended) {
      long wait = (deadline - System.nanoTime()) / 1_000_000;
      if (wait <= 0) {
        return;
      }
      try {
        known.wait(wait);
      } catch (InterruptedException e) {
        // This is a late interrupt for an errand that has just ended.
      }
    }
  }

  /// Abandons the current worker to its errand if the errand has exceeded the deadline. The warden
  /// calls this method every 20 ms.
  ///
  /// @return true if the warden has to call this method again
  boolean look() {
    boolean hasLeft = false;
    boolean isNeeded;
    List<Worker> late;
    synchronized (known) {
      Worker current = worker;
      if (current != null
          && current.errand != null
          && System.nanoTime() - current.sinceNanos > DEADLINE_NANOS) {
        current.isLeft = true;
        left.add(current);
        worker = null;
        hasLeft = true;
      }
      work();
      late = List.copyOf(left);
      isNeeded = worker != null || !waiting.isEmpty() || !late.isEmpty();
    }
    if (hasLeft) {
      onLeft.run();
    }
    for (Worker each : late) {
      add(Kind.INTERRUPT, each, each.thread::interrupt);
    }
    return isNeeded;
  }

  /// Returns true if no errand is waiting or running, not counting late ones.
  boolean isIdle() {
    synchronized (known) {
      return waiting.isEmpty() && (worker == null || worker.errand == null);
    }
  }

  /// Returns the kinds of the errands that are late and still running.
  List<Kind> late() {
    synchronized (known) {
      List<Kind> kinds = new ArrayList<>();
      for (Worker each : left) {
        if (each.errand != null) {
          kinds.add(each.errand.kind);
        }
      }
      return kinds;
    }
  }

  /// Returns the threads that may be running code of the domain.
  List<Thread> threads() {
    synchronized (known) {
      List<Thread> threads = new ArrayList<>();
      left.forEach(each -> threads.add(each.thread));
      if (worker != null) {
        threads.add(worker.thread);
      }
      return threads;
    }
  }

  /// Lets idle threads terminate immediately. Called when the domain has ended.
  void end() {
    synchronized (known) {
      ended = true;
      known.notifyAll();
    }
  }
}
