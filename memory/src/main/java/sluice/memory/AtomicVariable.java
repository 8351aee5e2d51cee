package sluice.memory;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.Wakeup;

/// A number with which an interrupt handler wakes a worker, without a lock that the handler would
/// wait for (JX paper, 2.7). Any thread may call; one at a time waits. A virtual thread that waits
/// leaves its carrier to others, as its scheduler chooses; [#setAndUnblock] is a bounded piece of
/// work whatever thread waits, so that a handler which the verifier bounds may call it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `value` | any thread | volatile | volatile |
/// | `waiting` | the waiting thread | volatile | volatile |
/// | `last` | the waiting thread | plain | plain |
///
/// The waiter names itself before it looks at the value; the other side writes the value before it
/// looks for a waiter. So one of the two sees the other, and no wake-up is lost.
public final class AtomicVariable {
  private volatile int value;
  private volatile @Nullable Wakeup waiting;
  private @Nullable Wakeup last;

  public AtomicVariable(int value) {
    this.value = value;
  }

  public int get() {
    return value;
  }

  /// Changes the value; a waiting thread goes on waiting.
  public void set(int value) {
    this.value = value;
  }

  /// Waits while the value is `unwanted`, or until the thread is interrupted, which it stays.
  ///
  /// @throws IllegalStateException when another thread waits
  public void blockIfEqual(int unwanted) {
    if (value != unwanted) {
      return;
    }
    Thread self = Thread.currentThread();
    Wakeup other = waiting;
    if (other != null) {
      throw new IllegalStateException(other.thread() + " waits already");
    }
    Wakeup mine = last;
    if (mine == null || mine.thread() != self) {
      mine = new Wakeup();
      last = mine;
    }
    mine.prepare();
    waiting = mine;
    while (value == unwanted && !self.isInterrupted()) {
      LockSupport.park(this);
      mine.prepare();
    }
    waiting = null;
  }

  /// Changes the value, and lets the waiting thread look at it.
  public void setAndUnblock(int value) {
    this.value = value;
    Wakeup waiter = waiting;
    if (waiter != null) {
      waiter.wake();
    }
  }
}
