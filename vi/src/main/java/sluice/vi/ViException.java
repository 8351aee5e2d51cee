package sluice.vi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A connection could not be made, or has failed; the message says what, where and the fix.
public class ViException extends IOException {
  private static final long serialVersionUID = 1L;

  ViException(String message) {
    super(message, null);
  }

  ViException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
