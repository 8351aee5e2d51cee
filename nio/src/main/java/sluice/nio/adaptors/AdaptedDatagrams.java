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

/// What a datagram channel does for its `DatagramSocket` beyond the methods of `DatagramChannel`.
/// Any thread calls.
public interface AdaptedDatagrams {
  /// The local address, also after closing; null while there is none.
  @Nullable InetSocketAddress localAddress();

  /// The address that the channel is connected to, also after closing; null while there is none.
  @Nullable InetSocketAddress remoteAddress();

  /// Connects.
  ///
  /// @param onlyOnce whether a channel that is connected must be left alone
  DatagramChannel connect(SocketAddress remote, boolean onlyOnce) throws IOException;

  /// Receives a datagram; the channel is in blocking mode.
  ///
  /// @param nanos 0 waits without limit
  /// @return the sender
  SocketAddress blockingReceive(ByteBuffer buffer, long nanos) throws IOException;

  /// The membership of a group for all its sources, null when there is none.
  ///
  /// @throws IllegalStateException when the group was joined for single sources
  @Nullable MembershipKey membership(InetAddress group, NetworkInterface network);
}
