package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.ThreadEnds;

/// Writes changed blocks back that no thread waits for: those older than a few seconds, and the
/// oldest when there are many. A thread of the cache, begun with the first change.
///
/// A write that fails here is not lost: the block stays changed, and a caller that syncs is told.
final class Flusher {
  private final WriteBack writeBack;
  private final DirtyList dirty;

  /// From how many changed blocks on it begins at once.
  private final int many;

  /// How long a change may stay in memory only.
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

  /// After a change: without a lock in the common case.
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
        // What was changed before the last pause began is old now: the list is in order of age.
        long young = Math.max(0, dirty.added() - old);
        writeBack.reduceTo(Math.min(young, many / 2));
      } catch (IOException toldBySync) {
        failed = true;
      }
      old = dirty.added();
    }
  }

  /// @return false at the end
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
