package sluice.fs.journal;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// A listener with which a thread waits for a point in the order of changes. It is created and
/// awaited by that thread, and is notified by the journal's thread. Only threads whose points are
/// durable are woken.
final class StableWaiter implements FileTree.StableListener {
  private final Thread waiter = Thread.currentThread();
  private @Nullable IOException failure;
  private volatile boolean told;

  @Override
  public void stable(@Nullable IOException why) {
    failure = why;
    told = true;
    LockSupport.unpark(waiter);
  }

  /// Waits uninterruptibly.
  ///
  /// @throws IOException if the point will never be durable
  void await() throws IOException {
    boolean interrupted = false;
    while (!told) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw failure;
    }
  }
}
