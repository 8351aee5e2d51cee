package sluice.vi.device;

/// The side that ended or refused an operation, and the manner in which it did so. Each constant
/// corresponds to a separate exception class for applications.
public enum Fault {
  /// This side closed the VI, the server or the device.
  CLOSED,
  /// The peer closed its end.
  PEER_CLOSED,
  /// The peer's process, host or network has disappeared, its end has failed, or it has violated
  /// the protocol.
  PEER_LOST,
  /// There is no listener, or the two sides require different attributes.
  REFUSED,
  /// The timeout expired.
  TIMED_OUT,
  /// This program requested something that is not available on this machine or in general.
  MISCONFIGURED,
  /// A call on this machine failed, memory is low, or the thread was interrupted.
  OTHER
}
