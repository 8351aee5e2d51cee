package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;

/// Gives an end of a connection what it needs of its device: a way to the peer, the time, and to be
/// called. The device's thread calls and is called, except where a method says otherwise.
interface Line {
  /// Returns the time in nanoseconds, from any beginning.
  long now();

  /// Returns the memory where datagrams are built, of [Datagram#MOST_BYTES].
  MemorySegment memory();

  /// Sends what was built to the peer of an end; it may be lost.
  void send(XdpPort from, int length);

  /// Has [XdpPort#turn] called soon: once for all calls before it is. Of any thread.
  void soon(XdpPort port);

  /// Has something done once. Of any thread.
  ///
  /// @return false when the device has been closed
  boolean order(Runnable order);

  /// Tells the device that the end is over: its number belongs to no connection any more.
  void gone(XdpPort port);
}
