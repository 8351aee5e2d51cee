package sluice.sys;

import java.net.SocketAddress;

/// The address of a UNIX socket in the abstract namespace, which is not associated with a file.
///
/// Instances are immutable and thread-safe. systemd uses abstract names and writes them with a
/// leading `@`.
public final class AbstractUnixAddress extends SocketAddress {
  private static final long serialVersionUID = 1L;

  private final String name;

  /// Creates an address.
  ///
  /// @param name the name without the leading `@` or NUL, at most 107 bytes in UTF-8
  public AbstractUnixAddress(String name) {
    this.name = name;
  }

  /// Returns the name without the leading `@`.
  public String name() {
    return name;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AbstractUnixAddress that && that.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return "@" + name;
  }
}
