package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;

/// What datagrams to a number of a [SharedPort] are for: an end of a connection, or a greeting that
/// becomes one. Of the device's thread.
interface Member {
  long id();

  /// A datagram with this number has come from the peer's address.
  void received(MemorySegment datagram, int kind, int length);

  /// A while has passed.
  void tick();

  /// Whether the time of [#tick] matters to a few milliseconds.
  boolean isHasty();

  /// The device is closed.
  void stop();
}
