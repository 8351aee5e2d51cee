package sluice.vi;

import org.jspecify.annotations.Nullable;

/// Thrown if the other side refuses the connection, either because no server listens for this tag
/// or because the two sides require different attributes, such as another reliability. A later
/// attempt may succeed.
public final class ViRefused extends ViException {
  private static final long serialVersionUID = 1L;

  ViRefused(String message) {
    this(message, null);
  }

  ViRefused(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
