package sluice.domain.inside;

/// Unwinds a thread out of the code of a domain that has ended. It is only thrown by gates, on the
/// thread that it unwinds. It has no stack trace, because the trace would be created in a dying
/// domain.
public final class Death extends Error {
  private static final long serialVersionUID = 1;

  /// Creates the error with the domain's name in its message.
  public Death(String domain) {
    super("domain " + domain + " has ended", null, false, false);
  }
}
