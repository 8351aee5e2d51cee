package sluice.loop.datagrams;

import java.net.InetSocketAddress;

/// A handler that answers datagrams with ordinary code, which may block. It runs on the slow path
/// of the loop. Datagrams are handled concurrently, even those of the same sender. Like datagrams,
/// replies are unordered.
@FunctionalInterface
public interface DatagramSlowHandler {
  /// Answers a datagram. If an exception is thrown, it is logged and the datagram is dropped.
  ///
  /// @param datagram a copy that is owned by the handler
  /// @param from the sender
  /// @return the reply, or an empty array for none. A reply of more than [Datagrams#MOST_BYTES] is
  ///   dropped and logged
  byte[] handle(byte[] datagram, InetSocketAddress from) throws Exception;
}
