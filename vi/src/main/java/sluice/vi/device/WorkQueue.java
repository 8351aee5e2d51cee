package sluice.vi.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A queue of the posted descriptors of one direction in the order of posting, which is also the
/// order of completion. It is owned by the thread that currently uses the queue. Any thread may
/// read the size.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `slots`, `unsent` | the queue's thread | plain | plain |
/// | `added`, `removed` | the queue's thread | opaque | opaque |
///
/// Limits: the depth is fixed at creation and must not be exceeded by the caller.
public final class WorkQueue {
  private static final VarHandle ADDED;
  private static final VarHandle REMOVED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ADDED = lookup.findVarHandle(WorkQueue.class, "added", int.class);
      REMOVED = lookup.findVarHandle(WorkQueue.class, "removed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Descriptor[] slots;
  private final int mask;

  /// The numbers of added and removed descriptors, which increase monotonically and wrap around.
  private int added;

  private int removed;
  private int unsent;

  /// @param depth the maximum number of descriptors
  public WorkQueue(int depth) {
    int capacity = Integer.highestOneBit(Math.max(1, depth) * 2 - 1);
    slots = new Descriptor[capacity];
    mask = capacity - 1;
  }

  public int size() {
    return (int) ADDED.getOpaque(this) - (int) REMOVED.getOpaque(this);
  }

  /// Adds a descriptor.
  ///
  /// @throws IllegalStateException if the queue is full
  public void add(Descriptor descriptor) {
    if (added - removed > mask) {
      throw new IllegalStateException("more descriptors are posted than the queue is deep");
    }
    slots[added & mask] = descriptor;
    ADDED.setOpaque(this, added + 1);
  }

  /// Returns the oldest descriptor, or null if the queue is empty.
  public @Nullable Descriptor head() {
    return added == removed ? null : slots[removed & mask];
  }

  /// Returns the oldest descriptor that the device has not completely sent, or null if there is
  /// none.
  public @Nullable Descriptor unsent() {
    return unsent == added ? null : slots[unsent & mask];
  }

  /// Returns true if all posted descriptors have been sent.
  public boolean isAllSent() {
    return unsent == (int) ADDED.getOpaque(this);
  }

  /// Marks the descriptor returned by [#unsent] as sent.
  public void sent() {
    unsent++;
  }

  /// Removes the oldest descriptor if it is complete or the connection has failed.
  ///
  /// @param failure the reason why the connection has ended, or null
  public @Nullable Descriptor take(@Nullable Failure failure) {
    Descriptor head = head();
    if (head == null) {
      return null;
    }
    if (!head.isDone()) {
      if (failure == null) {
        return null;
      }
      head.fail(failure);
    }
    slots[removed & mask] = null;
    if (unsent == removed) {
      unsent++;
    }
    REMOVED.setOpaque(this, removed + 1);
    return head;
  }
}
