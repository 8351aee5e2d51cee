package sluice.domain.portal;

/// Thrown if the owner of a service has revoked it before or during the call.
public final class PortalRevoked extends RuntimeException {
  private static final long serialVersionUID = 1;

  PortalRevoked(String what) {
    super(what);
  }
}
