package sluice.domain.portal;

/// Which thread runs a service. Inside one party every call is a plain call, whatever the path.
public enum CallPath {
  /// A thread of the service's party, so that a call that hangs does not hold the caller. The paths
  /// below are for services that are known to return.
  SERVICE,
  /// The caller's thread: the service is trusted to return.
  DIRECT,
  /// The caller's thread: a verifier has found a bound for each method of the service.
  FAST
}
