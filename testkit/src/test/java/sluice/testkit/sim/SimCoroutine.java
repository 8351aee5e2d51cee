package sluice.testkit.sim;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import sluice.testkit.EngineContractPeers.Action;

/// Blocking code inside a simulation. It has a thread of its own, but never runs at the same time
/// as the simulation's thread, which waits in [#resume] until the code pauses or ends.
class SimCoroutine {
  private final Semaphore go = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private final Action action;
  private @Nullable Thread thread;
  private @Nullable Throwable failure;
  private boolean ended;

  SimCoroutine(Action action) {
    this.action = action;
  }

  /// Runs the code until it pauses or ends. Called by the simulation's thread.
  final void resume() {
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().start(this::run);
    } else {
      go.release();
    }
    back.acquireUninterruptibly();
  }

  /// Lets the simulation run until it resumes this code. Called by the code's own thread.
  final void pause() {
    back.release();
    go.acquireUninterruptibly();
  }

  final boolean ended() {
    return ended;
  }

  /// Rethrows the exception of the code, if it has failed.
  final void rethrow() {
    if (failure != null) {
      throw new AssertionError("the peer's action failed", failure);
    }
  }

  private void run() {
    try {
      action.run();
    } catch (Throwable e) {
      failure = e;
    }
    ended = true;
    back.release();
  }
}
