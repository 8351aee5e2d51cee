package sluice.memory;

import java.lang.foreign.MemorySegment;

/// The loop's end of a [WritableView]: its holder decides which bytes may be written, and how long.
public final class WritableViewBinder {
  private WritableView view;

  /// @param owner the one thread that may write through the view
  public WritableViewBinder(Thread owner) {
    view = new WritableView(owner);
  }

  public WritableView view() {
    return view;
  }

  /// Gives up the view, which has been unbound or whose memory is gone: it throws for ever, and the
  /// next bind is of another.
  ///
  /// @param owner the one thread that may use the next
  public void renew(Thread owner) {
    view = new WritableView(owner);
  }

  /// Lets the view write `length` bytes from `offset`, until the next bind or unbind.
  ///
  /// @throws IllegalArgumentException when the memory is read-only
  public WritableView bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Takes the bytes away: every later access through the view throws.
  public void unbind() {
    view.unbind();
  }
}
