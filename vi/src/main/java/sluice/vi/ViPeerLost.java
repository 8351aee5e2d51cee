package sluice.vi;

import org.jspecify.annotations.Nullable;

/// The peer's process, host or network has gone without a close, its end failed, or it broke the
/// protocol. What it sent last may be lost.
public final class ViPeerLost extends ViException {
  private static final long serialVersionUID = 1L;

  ViPeerLost(String message) {
    this(message, null);
  }

  ViPeerLost(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
