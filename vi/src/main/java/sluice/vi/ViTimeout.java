package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if a timeout expires before a message completes, a connection arrives, or a connection is
/// accepted. The VI and the posted descriptors are not affected.
public final class ViTimeout extends ViException {
  private static final long serialVersionUID = 1L;

  ViTimeout(String message) {
    this(message, null);
  }

  ViTimeout(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
