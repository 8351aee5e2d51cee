package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;

/// Receives the datagrams to one number of a [SharedPort]: an end of a connection, or a greeting
/// that becomes one. The device's thread calls.
interface Member {
  long id();

  /// Takes a datagram with this number that has come from the peer's address.
  void received(MemorySegment datagram, int kind, int length);

  /// Does what is due after a while.
  void tick();

  /// Returns whether the time of [#tick] matters to a few milliseconds.
  boolean isHasty();

  /// Stops because the device is closed.
  void stop();
}
