package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;

/// Represents what one side of a new connection offers. Immutable.
///
/// @param transferBytes longest message
/// @param datagramBytes longest datagram of UDP, its header not counted
/// @param limit fragments that may come before the first status
/// @param cookie shows that the connecting side hears what is sent to its address
record Offer(int transferBytes, int datagramBytes, int limit, long cookie) {
  /// Reads the offer of a HELLO or an ACCEPTED.
  static Offer of(MemorySegment datagram, long cookie) {
    return new Offer(
        Datagram.transferBytes(datagram),
        Datagram.datagramBytes(datagram),
        Datagram.firstLimit(datagram),
        cookie);
  }

  /// Returns whether each number is possible.
  boolean isSound() {
    return transferBytes >= 1
        && datagramBytes >= Datagram.LEAST_BYTES
        && datagramBytes <= Datagram.MOST_BYTES
        && limit >= 1
        && limit <= ReceiveWindow.MOST_SLOTS;
  }
}
