package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.ThreadEnds;

/// Writes changed blocks in the background. It writes blocks that were changed more than a few
/// seconds ago, and also the oldest changed blocks if there are many of them. It uses a thread of
/// the cache that is started when the first change is made.
///
/// If a write fails, no data is lost: the block remains changed, and the error is reported to the
/// next caller of sync.
final class Flusher {
  private final WriteBack writeBack;
  private final DirtyList dirty;

  /// The number of changed blocks at which the thread starts writing immediately.
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

  /// Starts or wakes the thread after a change, if necessary. No lock is acquired in the common
  /// case.
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

  /// Waits until the next round.
  ///
  /// @return false if the cache is being closed
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
