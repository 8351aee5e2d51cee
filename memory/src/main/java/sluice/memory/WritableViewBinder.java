package sluice.memory;

import java.lang.foreign.MemorySegment;

/// The loop's side of a [WritableView]: the holder determines which bytes may be written, and for
/// how long.
public final class WritableViewBinder {
  private WritableView view;

  /// Creates a binder with an unbound view.
  ///
  /// @param owner the only thread that may write through the view
  public WritableViewBinder(Thread owner) {
    view = new WritableView(owner);
  }

  public WritableView view() {
    return view;
  }

  /// Abandons the view, which was unbound or whose memory is gone, and creates a new one. The old
  /// view throws on every access.
  ///
  /// @param owner the only thread that may use the new view
  public void renew(Thread owner) {
    view = new WritableView(owner);
  }

  /// Makes the view write `length` bytes from `offset` on, until the next bind or unbind.
  ///
  /// @throws IllegalArgumentException if the memory is read-only
  public WritableView bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Unbinds the view: every later access through it throws.
  public void unbind() {
    view.unbind();
  }
}
