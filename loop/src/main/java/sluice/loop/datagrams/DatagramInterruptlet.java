package sluice.loop.datagrams;

import sluice.memory.View;

/// A handler that answers datagrams in place, as [sluice.loop.Interruptlet] answers the messages of
/// a stream. It runs to completion on the loop's thread, must neither block nor take long, and is
/// watched. One instance belongs to one port, so it may use plain fields.
@FunctionalInterface
public interface DatagramInterruptlet {
  /// Answers a datagram, leaves it unanswered, or passes it to the slow path. If an exception is
  /// thrown, it is logged and the datagram is dropped.
  ///
  /// @param datagram the bytes of the datagram; valid until this method returns
  /// @param reply receives the reply; valid until this method returns. If no bytes are put, no
  ///   reply is sent
  /// @return [sluice.loop.Interruptlet#DONE]; or [sluice.loop.Interruptlet#PASS], which discards
  ///   the reply and passes the unchanged datagram to the slow path
  boolean handle(View datagram, DatagramOutput reply);
}
