package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// What a thread does for portals: for which party it runs, and which call of a service thread.
/// Owned by that thread.
final class Frame {
  private static final ThreadLocal<Frame> CURRENT = ThreadLocal.withInitial(Frame::new);

  @Nullable Party party;
  @Nullable ServiceCall running;

  static Frame current() {
    return CURRENT.get();
  }
}
