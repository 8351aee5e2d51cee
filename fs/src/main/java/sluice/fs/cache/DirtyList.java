package sluice.fs.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// The frames that differ from the device and may be written, ordered from oldest to newest. This
/// class is thread-safe. A thread that adds or removes a frame must also hold the stripe of the
/// frame.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | oldest, newest, links | under the monitor | under the monitor | plain |
/// | count, added | under the monitor | volatile, by any thread | release: a writer whose change counts for a reader has unlocked something since |
final class DirtyList {
  private static final VarHandle COUNT;
  private static final VarHandle ADDED;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(DirtyList.class, "count", int.class);
      ADDED = MethodHandles.lookup().findVarHandle(DirtyList.class, "added", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable Frame oldest;
  private @Nullable Frame newest;
  private volatile int count;
  private volatile long added;

  int count() {
    return count;
  }

  /// Returns the total number of frames that have ever been added.
  long added() {
    return added;
  }

  synchronized void add(Frame frame) {
    link(frame);
    ADDED.setRelease(this, added + 1);
    COUNT.setRelease(this, count + 1);
  }

  /// Adds adjacent frames that are claimed and are not in the list yet.
  synchronized void add(FrameSupply supply, Frame first, int run) {
    for (int i = 0; i < run; i++) {
      Frame frame = supply.at(first, i);
      frame.dirty = true;
      link(frame);
    }
    ADDED.setRelease(this, added + run);
    COUNT.setRelease(this, count + run);
  }

  private void link(Frame frame) {
    frame.dirtyBefore = newest;
    frame.dirtyAfter = null;
    if (newest == null) {
      oldest = frame;
    } else {
      newest.dirtyAfter = frame;
    }
    newest = frame;
  }

  synchronized void remove(Frame frame) {
    unlink(frame);
  }

  /// Removes a frame. The caller must hold the monitor.
  void unlink(Frame frame) {
    Frame before = frame.dirtyBefore;
    Frame after = frame.dirtyAfter;
    if (before == null) {
      oldest = after;
    } else {
      before.dirtyAfter = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.dirtyBefore = before;
    }
    frame.dirtyBefore = null;
    frame.dirtyAfter = null;
    COUNT.setRelease(this, count - 1);
  }

  /// Replaces a frame by its copy, which keeps the position of the frame and thus its age.
  synchronized void replace(Frame old, Frame by) {
    by.dirtyBefore = old.dirtyBefore;
    by.dirtyAfter = old.dirtyAfter;
    if (by.dirtyBefore == null) {
      oldest = by;
    } else {
      by.dirtyBefore.dirtyAfter = by;
    }
    if (by.dirtyAfter == null) {
      newest = by;
    } else {
      by.dirtyAfter.dirtyBefore = by;
    }
    old.dirtyBefore = null;
    old.dirtyAfter = null;
  }

  /// Leases the oldest frames that have not been claimed by a writer. If such a frame is changed
  /// later, the change is made to a copy.
  ///
  /// @param most the maximum number of frames
  /// @param but selects blocks that are skipped
  synchronized void lend(int most, LongPredicate but, List<FrameLease> into) {
    for (Frame at = oldest; at != null && into.size() < most; at = at.dirtyAfter) {
      if (but.test(at.number())) {
        continue;
      }
      // If a lease fails although there is no writer, the frame is being examined by a thread that
      // looks for a frame to evict, and will be released soon.
      boolean lent = at.lend();
      while (!lent && at.writers() == 0) {
        Uninterruptibly.pause();
        lent = at.lend();
      }
      if (lent) {
        into.add(new FrameLease(at.number(), at));
      }
    }
  }
}
