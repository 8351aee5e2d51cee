package sluice.domain.portal;

/// Selects the thread that runs a service. Inside one party, every call is a plain call, whatever
/// the path.
public enum CallPath {
  /// A thread of the service's party runs the call, so a call that hangs does not hold the caller.
  /// The other paths are for services that are known to return.
  SERVICE,
  /// The caller's thread runs the call: the service is trusted to return.
  DIRECT,
  /// The caller's thread runs the call: a verifier has found a bound for each method of the
  /// service.
  FAST
}
