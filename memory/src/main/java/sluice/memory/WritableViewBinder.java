package sluice.memory;

import java.lang.foreign.MemorySegment;

/// Binds a [WritableView] to memory. The holder of the binder, which is the loop, determines which
/// bytes may be written and for how long.
public final class WritableViewBinder {
  private WritableView view;

  /// Creates a binder whose view is not bound yet.
  ///
  /// @param owner the only thread that may write through the view
  public WritableViewBinder(Thread owner) {
    view = new WritableView(owner);
  }

  public WritableView view() {
    return view;
  }

  /// Replaces the view by a new one. The view must have been unbound, or its memory must no longer
  /// exist. The old view throws an exception on every access.
  ///
  /// @param owner the only thread that may use the new view
  public void renew(Thread owner) {
    view = new WritableView(owner);
  }

  /// Binds the view to the `length` bytes that begin at `offset`, until the next bind or unbind.
  ///
  /// @throws IllegalArgumentException if the memory is read-only
  public WritableView bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Unbinds the view. Every later access through it throws an exception.
  public void unbind() {
    view.unbind();
  }
}
