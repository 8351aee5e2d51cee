package sluice.vi.device;

/// The side that ended or refused something, and how. The application gets an exception of its own
/// for each.
public enum Fault {
  /// This side closed the VI, the server or the device.
  CLOSED,
  /// The peer closed its end.
  PEER_CLOSED,
  /// The peer's process, host or network has gone, its end failed, or it broke the protocol.
  PEER_LOST,
  /// Nothing listens there, or the two sides want different things.
  REFUSED,
  /// The time was over.
  TIMED_OUT,
  /// This program asked for what cannot be had, here or ever.
  MISCONFIGURED,
  /// A call of this machine failed, memory is short, or the thread was interrupted.
  OTHER
}
