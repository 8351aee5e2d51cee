package sluice.loop.datagrams;

import java.net.InetSocketAddress;

/// Answers datagrams with ordinary code that may block: on the slow path of the loop, several at a
/// time, also of one sender. Replies have no order, as datagrams have none.
@FunctionalInterface
public interface DatagramSlowHandler {
  /// Answers a datagram. What it throws is logged, and the datagram is dropped.
  ///
  /// @param datagram a copy, the handler's own
  /// @param from the sender
  /// @return the reply; empty when there is none. One of more than [Datagrams#MOST_BYTES] is
  ///   dropped and logged
  byte[] handle(byte[] datagram, InetSocketAddress from) throws Exception;
}
