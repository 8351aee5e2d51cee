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

/// The operations of a datagram channel for its `DatagramSocket`, beyond the methods of
/// `DatagramChannel`. Any thread may call.
public interface AdaptedDatagrams {
  /// Returns the local address, also after closing; null while there is none.
  @Nullable InetSocketAddress localAddress();

  /// Returns the address that the channel is connected to, also after closing; null while there is
  /// none.
  @Nullable InetSocketAddress remoteAddress();

  /// Connects the channel.
  ///
  /// @param onlyOnce true if a channel that is already connected must not be changed
  DatagramChannel connect(SocketAddress remote, boolean onlyOnce) throws IOException;

  /// Receives a datagram; the channel is in blocking mode.
  ///
  /// @param nanos 0 or negative waits without limit
  /// @return the sender
  SocketAddress blockingReceive(ByteBuffer buffer, long nanos) throws IOException;

  /// Returns the membership of a group for all its sources, or null if there is none.
  ///
  /// @throws IllegalStateException if the group was joined for single sources
  @Nullable MembershipKey membership(InetAddress group, NetworkInterface network);
}
