package sluice.vi;

import org.jspecify.annotations.Nullable;

/// The peer closed its end. All that it had sent before has been received.
public final class ViPeerClosed extends ViException {
  private static final long serialVersionUID = 1L;

  ViPeerClosed(String message) {
    this(message, null);
  }

  ViPeerClosed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
