package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;

/// What an end of a connection needs of its device: a way to the peer, the time, and to be called.
/// The device's thread calls and is called, except where it says otherwise.
interface Line {
  /// Nanoseconds, from any beginning.
  long now();

  /// Where datagrams are built, of [Datagram#MOST_BYTES].
  MemorySegment memory();

  /// Sends what was built to the peer of an end; it may be lost.
  void send(XdpPort from, int length);

  /// Has [XdpPort#turn] called soon: once for all calls before it is. Of any thread.
  void soon(XdpPort port);

  /// Has something done once. Of any thread.
  ///
  /// @return false when the device has been closed
  boolean order(Runnable order);

  /// The end is over: its number belongs to no connection any more.
  void gone(XdpPort port);
}
