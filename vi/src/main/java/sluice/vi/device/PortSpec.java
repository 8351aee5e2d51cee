package sluice.vi.device;

/// The specification of a connection. Immutable.
///
/// @param tag the tag by which the two ends are matched
/// @param discards true if a message that meets an empty receive queue is lost
/// @param acknowledged true if a send completes only when the message is in the receiver's buffer
/// @param sendDepth the most sends posted at one time
/// @param receiveDepth the most receives posted at one time
/// @param transferBytes the longest message; the smaller one of both ends applies
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

  /// Returns a copy with another limit for messages.
  public PortSpec withTransferBytes(int bytes) {
    return new PortSpec(tag, discards, acknowledged, sendDepth, receiveDepth, bytes, ringBytes);
  }
}
