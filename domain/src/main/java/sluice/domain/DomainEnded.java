package sluice.domain;

/// Thrown to a caller whose target domain has ended.
public final class DomainEnded extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Creates the exception with the name of the domain and the reason for its end.
  public DomainEnded(String domain, String reason) {
    super("domain " + domain + " has ended. Why: " + reason + ". Fix: create it again to call it");
  }
}
