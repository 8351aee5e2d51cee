package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// A service threw an exception that the caller's party cannot be given: it does not have the
/// class, or the exception has fields of its own. Carries the class and message only.
public final class RemoteFault extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String faultClass;

  RemoteFault(String faultClass, @Nullable String message) {
    super(faultClass + (message == null ? "" : ": " + message));
    this.faultClass = faultClass;
  }

  /// The name of the exception's class in the service's party.
  public String faultClass() {
    return faultClass;
  }
}
