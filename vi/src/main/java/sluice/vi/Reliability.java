package sluice.vi;

/// The reliability level of a connection. It determines when a send completes, and how a message is
/// handled if the receive queue is empty (Virtual Interface Architecture 1.0, section 2.4). Both
/// ends must use the same level. Every failure puts the VI into the error state.
public enum Reliability {
  /// A send completes when the device has accepted the message, which may be lost in the network if
  /// the device is `xdp`. If no receive is posted, the message is discarded if the device can
  /// detect this (`local`, `ring`, `xdp`). On other devices it waits as in [#RELIABLE_DELIVERY].
  UNRELIABLE,
  /// A send completes when the message has arrived at the peer's device. It is then delivered
  /// unless the peer terminates. If no receive is posted, the message waits and delays the messages
  /// that follow.
  RELIABLE_DELIVERY,
  /// A send completes when the message has been stored in the peer's buffer. If no receive is
  /// posted, both the message and its send wait.
  RELIABLE_RECEPTION
}
