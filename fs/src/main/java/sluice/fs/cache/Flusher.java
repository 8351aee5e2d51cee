package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.ThreadEnds;

/// Writes back changed blocks in the background: blocks that changed more than a few seconds ago,
/// and the oldest ones if there are many. A thread of the cache, started with the first change.
///
/// A failed write loses nothing: the block stays changed, and the next caller of sync gets the
/// error.
final class Flusher {
  private final WriteBack writeBack;
  private final DirtyList dirty;

  /// The number of changed blocks from which on the thread writes at once.
  private final int many;

  /// The maximum age of a change that is only in memory.
  private final long oldMillis;

  private @Nullable Thread thread;
  private volatile boolean running;
  private volatile boolean idle;
  private boolean closed;

  Flusher(WriteBack writeBack, DirtyList dirty, int many, long oldMillis) {
    this.writeBack = writeBack;
    this.dirty = dirty;
    this.many = many;
    this.oldMillis = oldMillis;
  }

  /// Starts or wakes the thread after a change, if necessary. Takes no lock in the common case.
  void changed() {
    if (!running) {
      start();
    } else if (idle && dirty.count() > many) {
      wake();
    }
  }

  private synchronized void start() {
    if (thread == null && !closed) {
      thread = Thread.ofPlatform().daemon().name("sluice fs write-back").start(this::run);
      running = true;
    }
  }

  private synchronized void wake() {
    idle = false;
    notifyAll();
  }

  private void run() {
    long old = 0;
    boolean failed = false;
    while (pause(failed)) {
      failed = false;
      try {
        // Blocks that changed before the last pause are old now: the list is ordered by age.
        long young = Math.max(0, dirty.added() - old);
        writeBack.reduceTo(Math.min(young, many / 2));
      } catch (IOException toldBySync) {
        failed = true;
      }
      old = dirty.added();
    }
  }

  /// Waits for the next round.
  ///
  /// @return false if the cache is closing
  private synchronized boolean pause(boolean failed) {
    idle = !failed;
    if (!closed && (failed || dirty.count() <= many)) {
      Uninterruptibly.awaitAsOwn(this, oldMillis);
    }
    idle = false;
    return !closed;
  }

  void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
      notifyAll();
    }
    ThreadEnds.join(running);
  }
}
