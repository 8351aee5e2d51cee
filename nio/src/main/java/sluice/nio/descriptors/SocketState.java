package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import org.jspecify.annotations.Nullable;
import sluice.sys.Sockets;
import sluice.sys.sockets.OptionTable;
import sluice.sys.sockets.SocketErrors;

/// The common state of all socket channels, which consists of a descriptor, a family, and the local
/// address once the socket is bound. Any thread may call it.
///
/// This object is also the lock of the channel's state. The descriptor of an open channel is not
/// closed while a thread holds the lock.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `local` | any thread | volatile | under this object's lock |
///
/// Lifecycle: unbound → bound. The address remains available after the channel is closed.
public final class SocketState {
  private final ChannelCore core;
  private final StandardProtocolFamily family;
  private volatile @Nullable SocketAddress local;

  /// @param fd the descriptor of a socket of this family, which is owned by the channel from now on
  public SocketState(int fd, StandardProtocolFamily family) {
    this.core = new ChannelCore(fd);
    this.family = family;
  }

  /// Returns the descriptor's core.
  public ChannelCore core() {
    return core;
  }

  public StandardProtocolFamily family() {
    return family;
  }

  public boolean isUnix() {
    return family == StandardProtocolFamily.UNIX;
  }

  /// Returns the local address if it is known, or null if the socket is not bound. The address
  /// remains available after the channel is closed.
  public @Nullable SocketAddress local() {
    return local;
  }

  /// Sets the local address. Called by the holder of this object's lock.
  public void local(@Nullable SocketAddress address) {
    local = address;
  }

  /// Returns the wildcard address of the family with port 0, for which the kernel chooses a port.
  public InetSocketAddress any() {
    return ProtocolFamilies.any(family, 0);
  }

  /// Returns the given address as an internet address after checking it.
  ///
  /// @throws java.nio.channels.UnresolvedAddressException if the address is not resolved
  /// @throws java.nio.channels.UnsupportedAddressTypeException if a socket of this family cannot
  ///   use the address
  public InetSocketAddress checkInet(SocketAddress address) {
    return ProtocolFamilies.checkInet(address, family);
  }

  /// Queries the kernel for the local address and stores it. The caller must hold this object's
  /// lock, and the channel must be open.
  public SocketAddress lookUpLocal() throws IOException {
    SocketAddress address = ProtocolFamilies.local(core.fd(), family);
    local = address;
    return address;
  }

  /// Binds the socket to an address. The caller must hold this object's lock, and the channel must
  /// be open.
  ///
  /// @param to an address of this family
  public void bind(SocketAddress to) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      SocketErrors.check(Sockets.bind(core.fd(), ProtocolFamilies.encode(family, to, arena)));
    }
  }

  /// Sets an option of an open channel.
  ///
  /// @param options the options that channels of this kind support
  /// @throws UnsupportedOperationException if the channel does not have the option
  /// @throws IllegalArgumentException if the value is not of the option's type, or out of range
  public void set(SluiceChannel channel, OptionTable options, SocketOption<?> name, Object value)
      throws IOException {
    options.check(name, value);
    synchronized (this) {
      channel.ensureOpen();
      options.set(core.fd(), family, name, value);
    }
  }

  /// Returns the value of an option of an open channel.
  ///
  /// @param options the options that channels of this kind support
  /// @throws UnsupportedOperationException if the channel does not have the option
  public <T> T get(SluiceChannel channel, OptionTable options, SocketOption<T> name)
      throws IOException {
    options.check(name);
    synchronized (this) {
      channel.ensureOpen();
      return options.get(core.fd(), family, name);
    }
  }

  /// Closes the descriptor and returns after it has been closed.
  ///
  /// @param blocking true if the channel is in blocking mode
  public void close(boolean blocking) {
    core.close(blocking, this);
  }
}
