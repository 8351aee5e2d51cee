package sluice.fs.fuse;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/// Limits the number of workers that wait for messages to the useful number; the others rest.
/// Called by all workers.
///
/// The kernel distributes messages to waiting threads in turn. With four of them, a client that
/// sends one request after another has each reply computed by another, cold thread, and takes
/// nearly twice the time. So one worker waits while replies are fast, and two while they may be
/// slow. Before a worker may have to wait itself, it ensures that another one reads.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | reading, resting | any worker | volatile | atomic addition, compareAndSet |
/// | ended | the first worker that ends | volatile | volatile |
final class FuseReaders {
  private final AtomicInteger reading = new AtomicInteger();

  /// The number of workers that rest and have not been called.
  private final AtomicInteger resting = new AtomicInteger();

  private final Semaphore calls = new Semaphore(0);
  private volatile boolean ended;

  /// Marks the caller as waiting for a message.
  void begin() {
    reading.incrementAndGet();
  }

  /// Marks the caller as having received a message.
  void taken() {
    reading.decrementAndGet();
  }

  /// Ensures that another worker reads, before the caller may have to wait for something else.
  void cover() {
    if (reading.get() == 0) {
      call();
    }
  }

  /// Calls a resting worker.
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

  /// Returns true if at least `needed` workers read, not counting the caller.
  boolean enough(int needed) {
    return reading.get() >= needed;
  }

  /// Rests until called. Another worker reads, or is about to read, at all times.
  void rest() {
    resting.incrementAndGet();
    // A worker that receives a message after this test sees that the caller rests.
    if ((reading.get() == 0 || ended) && claim()) {
      return;
    }
    calls.acquireUninterruptibly();
  }

  /// Ends the resting of all workers, because there are no more messages.
  void end() {
    ended = true;
    while (claim()) {
      calls.release();
    }
  }
}
