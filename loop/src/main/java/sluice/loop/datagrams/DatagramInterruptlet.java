package sluice.loop.datagrams;

import sluice.memory.View;

/// Answers datagrams where they landed, as [sluice.loop.Interruptlet] does messages of a stream: it
/// runs to completion on the loop's thread, must neither block nor take long, and is watched. One
/// instance belongs to one port, so it may keep plain fields.
@FunctionalInterface
public interface DatagramInterruptlet {
  /// Answers a datagram, leaves it unanswered, or leaves it to the slow path.
  ///
  /// What it throws is logged, and the datagram is dropped.
  ///
  /// @param datagram its bytes; good until this method returns
  /// @param reply where the reply is built; good until this method returns. When nothing is put
  ///   there, none is sent
  /// @return [sluice.loop.Interruptlet#DONE], or [sluice.loop.Interruptlet#PASS]: what was built is
  ///   forgotten, and the slow path gets the datagram as it came
  boolean handle(View datagram, DatagramOutput reply);
}
