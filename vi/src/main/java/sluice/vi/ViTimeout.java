package sluice.vi;

import org.jspecify.annotations.Nullable;

/// The time was over: nothing completed, no connection came, or none was accepted. A VI and what is
/// posted stay as they are.
public final class ViTimeout extends ViException {
  private static final long serialVersionUID = 1L;

  ViTimeout(String message) {
    this(message, null);
  }

  ViTimeout(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
