package sluice.loop.datagrams;

import sluice.memory.View;

/// A handler that answers datagrams in place, as [sluice.loop.Interruptlet] does messages of a
/// stream. It runs to completion on the loop's thread, must neither block nor take long, and is
/// watched. One instance belongs to one port, so it may keep plain fields.
@FunctionalInterface
public interface DatagramInterruptlet {
  /// Answers a datagram, leaves it unanswered, or leaves it to the slow path. An exception is
  /// logged, and the datagram is dropped.
  ///
  /// @param datagram its bytes; valid until this method returns
  /// @param reply takes the reply; valid until this method returns. If nothing is put there, no
  ///   reply is sent
  /// @return [sluice.loop.Interruptlet#DONE]; or [sluice.loop.Interruptlet#PASS], which discards
  ///   the reply and gives the unchanged datagram to the slow path
  boolean handle(View datagram, DatagramOutput reply);
}
