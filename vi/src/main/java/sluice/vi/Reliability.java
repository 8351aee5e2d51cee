package sluice.vi;

/// The reliability level of a connection: defines when a send completes, and the fate of a message
/// that meets an empty receive queue (Virtual Interface Architecture 1.0, section 2.4). Both ends
/// choose the same. Each failure puts the VI into the error state.
public enum Reliability {
  /// A send completes when the device has taken the message, which the network of `xdp` may lose. A
  /// message without a posted receive is discarded if the device can tell (`local`, `ring`, `xdp`);
  /// on other devices it waits, as below.
  UNRELIABLE,
  /// A send completes when the message is with the peer's device; it then arrives unless the peer
  /// ends. A message without a posted receive waits, and delays the messages behind it.
  RELIABLE_DELIVERY,
  /// A send completes when the message is in the peer's buffer. A message without a posted receive
  /// waits, and its send with it.
  RELIABLE_RECEPTION
}
