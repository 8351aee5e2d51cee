package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the VI, the server or the device has been closed on this side, possibly by another
/// thread.
public final class ViClosed extends ViException {
  private static final long serialVersionUID = 1L;

  ViClosed(String message) {
    this(message, null);
  }

  ViClosed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
