package sluice.nio.adaptors;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import org.jspecify.annotations.Nullable;

/// The operations that a datagram channel provides to its `DatagramSocket` in addition to the
/// methods of `DatagramChannel`. Any thread may call them.
public interface AdaptedDatagrams {
  /// Returns the local address, or null if the socket is not bound. The address remains available
  /// after the channel is closed.
  @Nullable InetSocketAddress localAddress();

  /// Returns the address that the channel is connected to, or null if it is not connected. The
  /// address remains available after the channel is closed.
  @Nullable InetSocketAddress remoteAddress();

  /// Connects the channel.
  ///
  /// @param onlyOnce true if the call must fail when the channel is already connected
  DatagramChannel connect(SocketAddress remote, boolean onlyOnce) throws IOException;

  /// Receives a datagram. The channel must be in blocking mode.
  ///
  /// @param nanos the timeout, or zero or a negative number to wait indefinitely
  /// @return the sender
  SocketAddress blockingReceive(ByteBuffer buffer, long nanos) throws IOException;

  /// Returns the membership that covers all sources of a group, or null if the group has not been
  /// joined.
  ///
  /// @throws IllegalStateException if the group was joined for individual sources
  @Nullable MembershipKey membership(InetAddress group, NetworkInterface network);
}
