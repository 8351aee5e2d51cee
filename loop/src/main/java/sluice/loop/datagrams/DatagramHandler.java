package sluice.loop.datagrams;

import sluice.memory.View;

/// Gets the datagrams of one port, each as it has come. Runs to completion on the loop's thread:
/// while it does, nothing else of the loop is served.
@FunctionalInterface
public interface DatagramHandler {
  /// A datagram has come. What this throws is logged, and the next datagram is shown.
  ///
  /// @param port where it came, for replies
  /// @param datagram its bytes, which may be none; good until this method returns
  /// @param from its sender; used again for the next datagram: [DatagramPeer#keep] for later
  void received(Datagrams port, View datagram, DatagramPeer from);
}
