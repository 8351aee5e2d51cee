package sluice.fs.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.cache.Uninterruptibly;

/// Notifies listeners when points in the order of changes become durable. Any thread may add
/// listeners. A single thread, which is started when the first listener is added, waits and
/// notifies the listeners, so that one wait suffices for many points.
final class StableNotifier {
  /// Waits for a point to become stable.
  interface Waiter {
    void await(long point) throws IOException;
  }

  private record Notice(long point, FileTree.StableListener then) {}

  private final Waiter waiter;
  private List<Notice> pending = new ArrayList<>();
  private @Nullable Thread teller;
  private boolean closed;

  StableNotifier(Waiter waiter) {
    this.waiter = waiter;
  }

  synchronized void add(long point, FileTree.StableListener then) {
    if (closed) {
      throw new IllegalStateException("the journal is closed");
    }
    pending.add(new Notice(point, then));
    if (teller == null) {
      teller = Thread.ofPlatform().daemon().name("sluice fs stable").start(this::run);
    }
    notifyAll();
  }

  private void run() {
    for (List<Notice> some = take(); !some.isEmpty(); some = take()) {
      long last = 0;
      for (Notice notice : some) {
        last = Math.max(last, notice.point);
      }
      IOException failure = null;
      try {
        waiter.await(last);
      } catch (IOException failed) {
        failure = failed;
      }
      for (Notice notice : some) {
        notice.then.stable(failure);
      }
    }
  }

  /// Returns the pending notifications. After this object has been closed, there are none.
  private synchronized List<Notice> take() {
    while (pending.isEmpty() && !closed) {
      Uninterruptibly.awaitAsOwn(this);
    }
    List<Notice> some = pending;
    pending = new ArrayList<>();
    return some;
  }

  /// Notifies the remaining listeners and terminates the thread.
  void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }
}
