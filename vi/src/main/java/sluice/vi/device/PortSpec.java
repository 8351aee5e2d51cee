package sluice.vi.device;

/// What a connection is to be. Immutable.
///
/// @param tag what the two ends are matched by
/// @param discards whether a message that meets an empty receive queue is lost
/// @param acknowledged whether a send completes only when the message is in the receiver's buffer
/// @param sendDepth most sends that are posted at one time
/// @param receiveDepth most receives that are posted at one time
/// @param transferBytes longest message; the smaller one of both ends counts
/// @param ringBytes memory for messages under way in one direction, a power of two, where the
///   device has such memory
public record PortSpec(
    int tag,
    boolean discards,
    boolean acknowledged,
    int sendDepth,
    int receiveDepth,
    int transferBytes,
    int ringBytes) {

  /// The same with another bound for messages.
  public PortSpec withTransferBytes(int bytes) {
    return new PortSpec(tag, discards, acknowledged, sendDepth, receiveDepth, bytes, ringBytes);
  }
}
