package sluice.sys;

import java.net.SocketAddress;

/// The address of a UNIX socket in the abstract name space, which has no file.
///
/// Immutable: any thread may use it. systemd gives such names, written with a leading `@`.
public final class AbstractUnixAddress extends SocketAddress {
  private static final long serialVersionUID = 1L;

  private final String name;

  /// @param name without the leading `@` or NUL, at most 107 bytes in UTF-8
  public AbstractUnixAddress(String name) {
    this.name = name;
  }

  /// The name, without `@`.
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
