package sluice.fs.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.cache.Uninterruptibly;

/// Tells listeners when a point in the order of changes is stable. Any thread adds; a thread of its
/// own, begun with the first listener, waits and tells, so that many points cost one wait.
final class StableNotifier {
  /// Waits for a point.
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

  /// @return nothing after the end
  private synchronized List<Notice> take() {
    while (pending.isEmpty() && !closed) {
      Uninterruptibly.awaitAsOwn(this);
    }
    List<Notice> some = pending;
    pending = new ArrayList<>();
    return some;
  }

  /// Tells all that wait, and ends.
  void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }
}
