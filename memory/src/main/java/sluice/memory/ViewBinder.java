package sluice.memory;

import java.lang.foreign.MemorySegment;

/// The loop's side of a [View]: the holder determines which bytes the view shows, and for how long.
public final class ViewBinder {
  private View view;

  /// Creates a binder with an unbound view.
  ///
  /// @param owner the only thread that may read through the view
  public ViewBinder(Thread owner) {
    view = new View(owner);
  }

  public View view() {
    return view;
  }

  /// Abandons the view, which was unbound or whose memory is gone, and creates a new one. The old
  /// view throws on every access.
  ///
  /// @param owner the only thread that may use the new view
  public void renew(Thread owner) {
    view = new View(owner);
  }

  /// Makes the view show `length` bytes from `offset` on, until the next bind or unbind.
  public View bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Unbinds the view: every later access through it throws.
  public void unbind() {
    view.unbind();
  }
}
