package sluice.domain.portal;

/// Thrown to a caller that was interrupted while a service worked for it. The thread's interrupt
/// status is set; the thread of the service was interrupted too.
public final class CallCancelled extends RuntimeException {
  private static final long serialVersionUID = 1;

  CallCancelled(String what) {
    super(what);
  }
}
