package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the time was over: nothing completed, no connection arrived, or none was accepted. The
/// VI and the posted descriptors are not affected.
public final class ViTimeout extends ViException {
  private static final long serialVersionUID = 1L;

  ViTimeout(String message) {
    this(message, null);
  }

  ViTimeout(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
