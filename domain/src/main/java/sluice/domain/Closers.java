package sluice.domain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.HostThread;

/// The disposable threads that do for one domain what may run its code or wait for a lock that its
/// code holds: an interrupt closes a channel, a shutdown walks a queue, a bean is told of its end.
/// Any thread may add errands; the warden's thread looks after them.
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
  /// What an errand is about, as `stat` names it.
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

  /// May throw anything: code of the domain comes to a gate.
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  /// How long an errand has before its thread is left to it.
  static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LINGER_MILLIS = 200;

  /// Threads of one domain that are left to their errands.
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
        } catch (Throwable e) { // whatever code of the domain throws
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

  /// @param onLeft run when a thread is left to its errand
  /// @param onIdle run by a worker that has no errand any more; neither is code of the domain
  Closers(String domain, Runnable onLeft, Runnable onIdle) {
    this.domain = domain;
    this.onLeft = onLeft;
    this.onIdle = onIdle;
  }

  /// Has a step run soon, unless one about the same subject waits or runs.
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

  /// Under the lock.
  private void work() {
    if (worker == null && !waiting.isEmpty() && left.size() < MOST_LEFT) {
      Worker made = new Worker();
      try {
        made.thread.start();
        worker = made;
      } catch (OutOfMemoryError e) {
        return; // no thread can be had: the next look tries again
      }
    }
  }

  /// Ends the last errand of a worker, and gives the next; null if its thread is to end.
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
        // Of an errand that was late and has just ended.
      }
    }
  }

  /// Called by the warden every 20 ms: leaves a thread whose errand takes too long to it.
  ///
  /// @return whether it is to call again
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

  /// Whether nothing waits or runs but what is late.
  boolean isIdle() {
    synchronized (known) {
      return waiting.isEmpty() && (worker == null || worker.errand == null);
    }
  }

  /// The kinds of the errands that took longer than they had and have not ended.
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

  /// The threads that may run code of the domain now.
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

  /// The domain has ended: an idle thread need not wait for more.
  void end() {
    synchronized (known) {
      ended = true;
      known.notifyAll();
    }
  }
}
