package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the peer has closed its end. All messages that it had sent before have been received.
public final class ViPeerClosed extends ViException {
  private static final long serialVersionUID = 1L;

  ViPeerClosed(String message) {
    this(message, null);
  }

  ViPeerClosed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
