package sluice.vi;

/// The kinds of access that a device has to a registered buffer. Remote access as defined by VIA is
/// not supported, as in the paper.
public enum ViBufferAttributes {
  /// The device may send from the buffer and receive into it.
  READ_WRITE,
  /// The device may only send from the buffer.
  READ_ONLY
}
