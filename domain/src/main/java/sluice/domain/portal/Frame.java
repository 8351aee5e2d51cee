package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// The portal state of a thread, which consists of the party for which it runs and the call that it
/// runs as a thread of a service. Owned by that thread.
final class Frame {
  private static final ThreadLocal<Frame> CURRENT = ThreadLocal.withInitial(Frame::new);

  @Nullable Party party;
  @Nullable ServiceCall running;

  static Frame current() {
    return CURRENT.get();
  }
}
