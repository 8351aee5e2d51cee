package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the peer's process, host or network has disappeared without closing the connection,
/// the peer's end has failed, or the peer has violated the protocol. Its last messages may be lost.
public final class ViPeerLost extends ViException {
  private static final long serialVersionUID = 1L;

  ViPeerLost(String message) {
    this(message, null);
  }

  ViPeerLost(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
