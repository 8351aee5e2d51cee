package sluice.vi;

/// The access of a device to a registered buffer. VIA's remote access is not offered, as in the
/// paper.
public enum ViBufferAttributes {
  /// The device sends from it and receives into it.
  READ_WRITE,
  /// The device sends from it only.
  READ_ONLY
}
