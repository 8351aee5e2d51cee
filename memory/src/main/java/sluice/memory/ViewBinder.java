package sluice.memory;

import java.lang.foreign.MemorySegment;

/// Binds a [View] to memory. The holder of the binder, which is the loop, determines which bytes
/// the view shows and for how long.
public final class ViewBinder {
  private View view;

  /// Creates a binder whose view is not bound yet.
  ///
  /// @param owner the only thread that may read through the view
  public ViewBinder(Thread owner) {
    view = new View(owner);
  }

  public View view() {
    return view;
  }

  /// Replaces the view by a new one. The view must have been unbound, or its memory must no longer
  /// exist. The old view throws an exception on every access.
  ///
  /// @param owner the only thread that may use the new view
  public void renew(Thread owner) {
    view = new View(owner);
  }

  /// Binds the view to the `length` bytes that begin at `offset`, until the next bind or unbind.
  public View bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Unbinds the view. Every later access through it throws an exception.
  public void unbind() {
    view.unbind();
  }
}
