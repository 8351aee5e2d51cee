package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if this program requested something that is not available, such as an invalid address or
/// device, a reliability that the device does not support, a buffer that is not registered, a
/// message that is too long, or a queue that is full.
public final class ViMisconfigured extends ViException {
  private static final long serialVersionUID = 1L;

  ViMisconfigured(String message) {
    this(message, null);
  }

  ViMisconfigured(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
