package sluice.domain;

/// What a caller gets when the domain that it called has ended.
public final class DomainEnded extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With the name of the domain and what ended it.
  public DomainEnded(String domain, String reason) {
    super("domain " + domain + " has ended. Why: " + reason + ". Fix: create it again to call it");
  }
}
