package sluice.net.port;

/// What may become of the link of a port while it is used.
public enum LinkChange {
  /// The longest packet is another.
  MTU,
  /// The interface was taken down, or its cable is out.
  DOWN,
  UP,
  /// The interface was deleted, or moved to another namespace: nothing comes or goes any more.
  GONE,
  /// The hardware address is another.
  HARDWARE,
  /// The kernel has got or lost the stack's IPv4 address.
  ADDRESS
}
