package sluice.fs.fuse;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/// Lets as many workers wait for messages as are of use, and the others rest. All workers call.
///
/// The kernel gives messages to waiting threads in turn. With four of them, one client that asks
/// one thing after another finds each answer on another, cold thread, and pays nearly twice. So one
/// worker waits while answers are at hand, and two while they may take long; before it may have to
/// wait itself, a worker sees to it that another one reads.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | reading, resting | any worker | volatile | atomic addition, compareAndSet |
/// | ended | the first worker that ends | volatile | volatile |
final class FuseReaders {
  private final AtomicInteger reading = new AtomicInteger();

  /// Those that rest and have not been called.
  private final AtomicInteger resting = new AtomicInteger();

  private final Semaphore calls = new Semaphore(0);
  private volatile boolean ended;

  /// The caller waits for a message from now on.
  void begin() {
    reading.incrementAndGet();
  }

  /// The caller has one.
  void taken() {
    reading.decrementAndGet();
  }

  /// The caller may have to wait for something else: another worker must read meanwhile.
  void cover() {
    if (reading.get() == 0) {
      call();
    }
  }

  /// Calls a worker that rests.
  void call() {
    if (claim()) {
      calls.release();
    }
  }

  private boolean claim() {
    int now = resting.get();
    while (now > 0) {
      if (resting.compareAndSet(now, now - 1)) {
        return true;
      }
      now = resting.get();
    }
    return false;
  }

  /// Whether so many read, not counting the caller.
  boolean enough(int needed) {
    return reading.get() >= needed;
  }

  /// Rests until called. Another worker reads, or comes to read, all the time.
  void rest() {
    resting.incrementAndGet();
    // A worker that takes a message after this look sees that the caller rests.
    if ((reading.get() == 0 || ended) && claim()) {
      return;
    }
    calls.acquireUninterruptibly();
  }

  /// There are no more messages: no worker rests any more.
  void end() {
    ended = true;
    while (claim()) {
      calls.release();
    }
  }
}
