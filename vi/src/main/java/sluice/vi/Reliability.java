package sluice.vi;

/// When a send completes, and what becomes of a message that meets an empty receive queue (Virtual
/// Interface Architecture 1.0, section 2.4). Both ends choose the same. Each failure puts the VI
/// into the error state.
public enum Reliability {
  /// A send completes when the device has taken the message, which the network of `xdp` may lose. A
  /// message that no receive is posted for is discarded where the device can tell (`local`, `ring`,
  /// `xdp`); elsewhere it waits, as below.
  UNRELIABLE,
  /// A send completes when the message is with the peer's device; it then arrives unless the peer
  /// ends. A message that no receive is posted for waits, and holds those behind it.
  RELIABLE_DELIVERY,
  /// A send completes when the message is in the peer's buffer. A message that no receive is posted
  /// for waits, and its send with it.
  RELIABLE_RECEPTION
}
