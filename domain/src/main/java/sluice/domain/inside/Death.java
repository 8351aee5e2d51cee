package sluice.domain.inside;

/// Unwinds a thread out of the code of a domain that has ended. Thrown by gates only, on the thread
/// that it unwinds; has no stack trace, because the trace would be built in a dying domain.
public final class Death extends Error {
  private static final long serialVersionUID = 1;

  /// With the name of the domain as message.
  public Death(String domain) {
    super("domain " + domain + " has ended", null, false, false);
  }
}
