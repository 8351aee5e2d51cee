package sluice.vi.device;

/// The specification of a connection. Immutable.
///
/// @param tag the tag by which the two ends are matched
/// @param discards true if a message is discarded when the receive queue is empty
/// @param acknowledged true if a send completes only after the message has been stored in the
///   receiver's buffer
/// @param sendDepth the maximum number of posted sends
/// @param receiveDepth the maximum number of posted receives
/// @param transferBytes the maximum message length; the smaller value of both ends applies
/// @param ringBytes the memory for messages in transit in one direction, a power of two, if the
///   device has such memory
public record PortSpec(
    int tag,
    boolean discards,
    boolean acknowledged,
    int sendDepth,
    int receiveDepth,
    int transferBytes,
    int ringBytes) {

  /// Returns a copy with a different maximum message length.
  public PortSpec withTransferBytes(int bytes) {
    return new PortSpec(tag, discards, acknowledged, sendDepth, receiveDepth, bytes, ringBytes);
  }
}
