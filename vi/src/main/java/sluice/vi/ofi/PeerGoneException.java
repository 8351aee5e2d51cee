package sluice.vi.ofi;

import java.io.IOException;

/// The peer ended while a connection was made. Immutable.
final class PeerGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  PeerGoneException(String message) {
    super(message);
  }
}
