package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// Represents an exception of a service that cannot be recreated in the caller's party, because the
/// party does not have the class or the exception has additional fields. It only contains the class
/// name and the message.
public final class RemoteFault extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String faultClass;

  RemoteFault(String faultClass, @Nullable String message) {
    super(faultClass + (message == null ? "" : ": " + message));
    this.faultClass = faultClass;
  }

  /// Returns the class name of the exception in the service's party.
  public String faultClass() {
    return faultClass;
  }
}
