package sluice.domain.portal;

/// Thrown if a party does not have the interface of a service, or has a different version of it.
public final class InterfaceMismatch extends RuntimeException {
  private static final long serialVersionUID = 1;

  InterfaceMismatch(String what) {
    super(what);
  }
}
