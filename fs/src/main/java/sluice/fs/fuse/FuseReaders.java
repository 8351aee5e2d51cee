package sluice.fs.fuse;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/// Limits the number of workers that wait for messages to the number that is useful. All other
/// workers rest. The methods are called by all workers.
///
/// The kernel distributes messages among the waiting threads in turn. With four threads, each
/// request of a client that sends one request after another is handled by a different, cold thread,
/// which takes nearly twice as long. Therefore only one worker waits for messages while replies are
/// fast, and two workers wait while replies may be slow. Before a worker may block, it ensures that
/// another worker waits for messages.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | reading, resting | any worker | volatile | atomic addition, compareAndSet |
/// | ended | the first worker that ends | volatile | volatile |
final class FuseReaders {
  private final AtomicInteger reading = new AtomicInteger();

  /// The number of workers that are resting and have not been woken.
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

  /// Ensures that another worker waits for messages before the caller may block.
  void cover() {
    if (reading.get() == 0) {
      call();
    }
  }

  /// Wakes a resting worker.
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

  /// Returns true if at least `needed` workers, not counting the caller, are waiting for messages.
  boolean enough(int needed) {
    return reading.get() >= needed;
  }

  /// Rests until woken. At all times, at least one other worker is waiting for messages or about to
  /// do so.
  void rest() {
    resting.incrementAndGet();
    // A worker that receives a message after this test sees that the caller rests.
    if ((reading.get() == 0 || ended) && claim()) {
      return;
    }
    calls.acquireUninterruptibly();
  }

  /// Wakes all resting workers because there will be no more messages.
  void end() {
    ended = true;
    while (claim()) {
      calls.release();
    }
  }
}
