package sluice.domain.portal;

/// Selects the thread that runs a service. Within a party, every call is an ordinary call,
/// regardless of the path.
public enum CallPath {
  /// A thread of the service's party runs the call, so a call that hangs does not block the caller.
  /// The other paths are intended for services that are known to return.
  SERVICE,
  /// The caller's thread runs the call. The service is trusted to return.
  DIRECT,
  /// The caller's thread runs the call. A verifier has determined a bound for each method of the
  /// service.
  FAST
}
