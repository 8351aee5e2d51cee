package sluice.vi.device;

/// The side that ended or refused something, and the way. The application gets a separate exception
/// class for each.
public enum Fault {
  /// This side closed the VI, the server or the device.
  CLOSED,
  /// The peer closed its end.
  PEER_CLOSED,
  /// The peer's process, host or network has gone, its end failed, or it broke the protocol.
  PEER_LOST,
  /// Nothing listens there, or the two sides require different attributes.
  REFUSED,
  /// The time was over.
  TIMED_OUT,
  /// This program requested something that is unavailable, here or in general.
  MISCONFIGURED,
  /// A call of this machine failed, memory is short, or the thread was interrupted.
  OTHER
}
