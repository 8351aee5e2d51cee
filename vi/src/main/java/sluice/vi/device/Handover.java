package sluice.vi.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A queue that transfers posted descriptors from the thread at a work queue to the thread of a
/// device. It is a ring buffer with a single producer and a single consumer.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `slots` | the posting thread, the device | plain, between the counts | plain |
/// | `added` | the posting thread | acquire | release |
/// | `removed` | the device | acquire | release |
public final class Handover {
  private static final VarHandle ADDED;
  private static final VarHandle REMOVED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ADDED = lookup.findVarHandle(Handover.class, "added", int.class);
      REMOVED = lookup.findVarHandle(Handover.class, "removed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Descriptor[] slots;
  private int added;
  private int removed;

  /// @param depth the maximum number of descriptors
  public Handover(int depth) {
    slots = new Descriptor[Integer.highestOneBit(Math.max(1, depth) * 2 - 1)];
  }

  /// Adds a descriptor.
  ///
  /// @return false if the queue is full
  public boolean offer(Descriptor descriptor) {
    int at = added;
    if (at - (int) REMOVED.getAcquire(this) == slots.length) {
      return false;
    }
    slots[at & (slots.length - 1)] = descriptor;
    ADDED.setRelease(this, at + 1);
    return true;
  }

  /// Removes and returns the oldest descriptor, or returns null if the queue is empty.
  public @Nullable Descriptor poll() {
    int at = removed;
    if (at == (int) ADDED.getAcquire(this)) {
      return null;
    }
    Descriptor next = slots[at & (slots.length - 1)];
    slots[at & (slots.length - 1)] = null;
    REMOVED.setRelease(this, at + 1);
    return next;
  }
}
