package sluice.domain.portal;

/// Which thread runs a service. Inside one party every call is a plain call, whatever the path.
public enum CallPath {
  /// The caller's thread. For services that are known to return: those of the host, or verified.
  CALLER_THREAD,
  /// The thread of the service, one call after another: a call that hangs does not hold the caller.
  SERVICE_THREAD
}
