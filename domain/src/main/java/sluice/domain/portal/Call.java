package sluice.domain.portal;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyContext;

/// A call that runs in the caller's thread. Owned by that thread.
final class Call {
  final Handle handle;
  private final Proxy proxy;
  private final Frame frame;
  private final @Nullable Party before;
  private @Nullable CopyContext arguments;

  Call(Proxy proxy) {
    this.proxy = proxy;
    Handle handle = proxy.handle();
    handle.service.requireUsable();
    this.handle = handle;
    frame = Frame.current();
    before = frame.party;
    frame.party = handle.service.owner;
  }

  CopyContext arguments() {
    CopyContext context = arguments;
    if (context == null) {
      context = handle.arguments(null);
      arguments = context;
    }
    return context;
  }

  void leave() {
    try {
      frame.party = before;
      if (arguments != null) {
        arguments.endCall();
      }
      handle.service.requireUsable();
    } finally {
      Reference.reachabilityFence(proxy); // its collection would release the service
    }
  }

  Throwable failed(Throwable thrown) {
    leave();
    return thrown;
  }
}
