package sluice.net.port;

/// A change of a port's link.
public enum LinkChange {
  /// The MTU has changed.
  MTU,
  /// The interface was taken down, or its cable is unplugged.
  DOWN,
  UP,
  /// The interface was deleted or moved to another namespace. The port carries no more frames.
  GONE,
  /// The hardware address has changed.
  HARDWARE,
  /// The stack's IPv4 address was added to the interface in the kernel, or removed from it.
  ADDRESS
}
