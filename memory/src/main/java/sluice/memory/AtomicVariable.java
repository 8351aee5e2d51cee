package sluice.memory;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.Wakeup;

/// An integer that an interrupt handler can use to wake a worker thread without acquiring a lock
/// (JX paper, 2.7). This class is safe for use by any thread, but only one thread may wait at a
/// time. A virtual thread that waits releases its carrier. [#setAndUnblock] performs a bounded
/// amount of work regardless of the kind of the waiting thread, so that a verified handler may call
/// it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `value` | any thread | volatile | volatile |
/// | `waiting` | the waiting thread | volatile | volatile |
/// | `last` | the waiting thread | plain | plain |
///
/// The waiting thread registers itself before it reads the value, and the other side writes the
/// value before it checks for a waiting thread. Therefore at least one of them sees the other's
/// write, and no wake-up is lost.
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

  /// Sets the value without waking a waiting thread.
  public void set(int value) {
    this.value = value;
  }

  /// Waits while the value is equal to `unwanted`, or until the current thread is interrupted. The
  /// interrupt status is preserved.
  ///
  /// @throws IllegalStateException if another thread is already waiting
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

  /// Sets the value and wakes the waiting thread, which then compares it again.
  public void setAndUnblock(int value) {
    this.value = value;
    Wakeup waiter = waiting;
    if (waiter != null) {
      waiter.wake();
    }
  }
}
