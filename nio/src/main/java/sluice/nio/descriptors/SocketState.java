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

/// The common state of all socket channels: a descriptor, a family, and a local address once it is
/// bound. Any thread may call.
///
/// This object is the lock of the channel's state: its holder may use the descriptor of an open
/// channel, which is not closed meanwhile.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `local` | any thread | volatile | under this object's lock |
///
/// Lifecycle: unbound → bound; the address stays after closing.
public final class SocketState {
  private final ChannelCore core;
  private final StandardProtocolFamily family;
  private volatile @Nullable SocketAddress local;

  /// @param fd the descriptor of a socket of this family, which the channel owns from now on
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

  /// Returns the known local address, also after closing; null while there is none.
  public @Nullable SocketAddress local() {
    return local;
  }

  /// Sets the local address. Called by the holder of this object's lock.
  public void local(@Nullable SocketAddress address) {
    local = address;
  }

  /// Returns the wildcard address of the family, for a port that the kernel chooses.
  public InetSocketAddress any() {
    return ProtocolFamilies.any(family, 0);
  }

  /// Returns an address as an internet address.
  ///
  /// @throws java.nio.channels.UnresolvedAddressException if it is not resolved
  /// @throws java.nio.channels.UnsupportedAddressTypeException if a socket of this family cannot
  ///   use it
  public InetSocketAddress checkInet(SocketAddress address) {
    return ProtocolFamilies.checkInet(address, family);
  }

  /// Queries the kernel for the local address, and stores it. Called by the holder of this object's
  /// lock, for an open channel.
  public SocketAddress lookUpLocal() throws IOException {
    SocketAddress address = ProtocolFamilies.local(core.fd(), family);
    local = address;
    return address;
  }

  /// Binds the socket to an address. Called by the holder of this object's lock, for an open
  /// channel.
  ///
  /// @param to an address of this family
  public void bind(SocketAddress to) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      SocketErrors.check(Sockets.bind(core.fd(), ProtocolFamilies.encode(family, to, arena)));
    }
  }

  /// Sets an option of an open channel.
  ///
  /// @param options the options of the channel's kind
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

  /// Reads an option of an open channel.
  ///
  /// @param options the options of the channel's kind
  /// @throws UnsupportedOperationException if the channel does not have the option
  public <T> T get(SluiceChannel channel, OptionTable options, SocketOption<T> name)
      throws IOException {
    options.check(name);
    synchronized (this) {
      channel.ensureOpen();
      return options.get(core.fd(), family, name);
    }
  }

  /// Closes the descriptor and returns when that is done.
  ///
  /// @param blocking the channel's mode
  public void close(boolean blocking) {
    core.close(blocking, this);
  }
}
