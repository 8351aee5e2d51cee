package sluice.memory;

import java.lang.foreign.MemorySegment;

/// The loop's end of a [View]: its holder decides what the view shows, and when it stops.
public final class ViewBinder {
  private View view;

  /// @param owner the one thread that may read through the view
  public ViewBinder(Thread owner) {
    view = new View(owner);
  }

  public View view() {
    return view;
  }

  /// Gives up the view, which has been unbound or whose memory is gone: it throws for ever, and the
  /// next bind is of another.
  ///
  /// @param owner the one thread that may use the next
  public void renew(Thread owner) {
    view = new View(owner);
  }

  /// Lets the view show `length` bytes from `offset`, until the next bind or unbind.
  public View bind(MemorySegment segment, long offset, int length) {
    view.bind(segment, offset, length);
    return view;
  }

  /// Takes the bytes away: every later access through the view throws.
  public void unbind() {
    view.unbind();
  }
}
