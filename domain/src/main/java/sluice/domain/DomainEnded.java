package sluice.domain;

/// Thrown if the domain that is called has ended.
public final class DomainEnded extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Creates the exception with the name of the domain and the reason for its termination.
  public DomainEnded(String domain, String reason) {
    super("domain " + domain + " has ended. Why: " + reason + ". Fix: create it again to call it");
  }
}
