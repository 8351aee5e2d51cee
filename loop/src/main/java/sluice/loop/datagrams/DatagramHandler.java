package sluice.loop.datagrams;

import sluice.memory.View;

/// A handler of the datagrams of one port. Runs to completion on the loop's thread, which serves
/// nothing else meanwhile.
@FunctionalInterface
public interface DatagramHandler {
  /// Handles a datagram. An exception is logged, and the next datagram is shown.
  ///
  /// @param port the port that received it, for replies
  /// @param datagram its bytes, possibly none; valid until this method returns
  /// @param from the sender; reused for the next datagram, see [DatagramPeer#keep]
  void received(Datagrams port, View datagram, DatagramPeer from);
}
