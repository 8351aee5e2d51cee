package sluice.domain.portal;

/// Thrown if the caller was interrupted while a service was working for it. The interrupt status of
/// the thread is set. The thread of the service was interrupted as well.
public final class CallCancelled extends RuntimeException {
  private static final long serialVersionUID = 1;

  CallCancelled(String what) {
    super(what);
  }
}
