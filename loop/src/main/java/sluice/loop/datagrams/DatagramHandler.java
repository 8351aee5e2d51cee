package sluice.loop.datagrams;

import sluice.memory.View;

/// A handler of the datagrams of one port. It runs to completion on the loop's thread, which serves
/// no other events in the meantime.
@FunctionalInterface
public interface DatagramHandler {
  /// Handles a datagram. An exception is logged, and processing continues with the next datagram.
  ///
  /// @param port the port that received the datagram, for replies
  /// @param datagram the bytes of the datagram, possibly none; valid until this method returns
  /// @param from the sender; reused for the next datagram, see [DatagramPeer#keep]
  void received(Datagrams port, View datagram, DatagramPeer from);
}
