package sluice.memory;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.Wakeup;

/// A number with which an interrupt handler wakes a worker, without a lock for which the handler
/// would have to wait (JX paper, 2.7). Safe for use by any thread; only one thread at a time may
/// wait. A waiting virtual thread releases its carrier. [#setAndUnblock] is a bounded amount of
/// work for any kind of waiting thread, so that a verified handler may call it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `value` | any thread | volatile | volatile |
/// | `waiting` | the waiting thread | volatile | volatile |
/// | `last` | the waiting thread | plain | plain |
///
/// The waiting thread registers itself before it reads the value; the other side writes the value
/// before it looks for a waiting thread. So at least one side sees the other, and no wake-up is
/// lost.
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

  /// Sets the value. A waiting thread continues to wait.
  public void set(int value) {
    this.value = value;
  }

  /// Waits while the value is `unwanted`, or until the thread is interrupted. The interrupt status
  /// is kept.
  ///
  /// @throws IllegalStateException if another thread waits
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

  /// Sets the value and wakes the waiting thread, which compares it.
  public void setAndUnblock(int value) {
    this.value = value;
    Wakeup waiter = waiting;
    if (waiter != null) {
      waiter.wake();
    }
  }
}
