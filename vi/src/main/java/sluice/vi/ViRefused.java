package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the other side refuses: nothing listens there for this tag, or the two sides require
/// different attributes, such as another reliability. The peer may accept later.
public final class ViRefused extends ViException {
  private static final long serialVersionUID = 1L;

  ViRefused(String message) {
    this(message, null);
  }

  ViRefused(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
