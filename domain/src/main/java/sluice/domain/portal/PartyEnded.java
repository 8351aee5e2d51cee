package sluice.domain.portal;

/// Thrown if the party that provides a service ended before or during the call.
public final class PartyEnded extends RuntimeException {
  private static final long serialVersionUID = 1;

  PartyEnded(String what) {
    super(what);
  }
}
