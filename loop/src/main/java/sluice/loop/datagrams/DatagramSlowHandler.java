package sluice.loop.datagrams;

import java.net.InetSocketAddress;

/// A handler that answers datagrams with ordinary code, which may block. It runs on the slow path
/// of the loop, concurrently, also for datagrams of one sender. Replies have no order, as datagrams
/// have none.
@FunctionalInterface
public interface DatagramSlowHandler {
  /// Answers a datagram. An exception is logged, and the datagram is dropped.
  ///
  /// @param datagram a copy that belongs to the handler
  /// @param from the sender
  /// @return the reply; empty for none. A reply of more than [Datagrams#MOST_BYTES] is dropped and
  ///   logged
  byte[] handle(byte[] datagram, InetSocketAddress from) throws Exception;
}
