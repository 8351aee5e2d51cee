package sluice.net.port;

/// A change of the link of a port.
public enum LinkChange {
  /// The MTU has changed.
  MTU,
  /// The interface was disabled, or its cable was unplugged.
  DOWN,
  UP,
  /// The interface was deleted or moved to another namespace. The port can no longer transfer
  /// frames.
  GONE,
  /// The hardware address has changed.
  HARDWARE,
  /// The IPv4 address of the stack was added to the interface in the kernel or removed from it.
  ADDRESS
}
