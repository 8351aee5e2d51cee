package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/// A socket of a network stack of our own, for a [UserDatagrams]. Called by the loop's thread.
public interface UserDatagramSocket {
  /// Returns the bound address.
  InetSocketAddress address();

  /// Stages a datagram. Its bytes may be reused when this returns.
  ///
  /// @param memory the bytes are `[at, at + length)`; the [UserDatagrams#HEADROOM_BYTES] before may
  ///   be overwritten
  /// @param address the IPv4 address, in host order
  /// @return false if it was dropped
  boolean send(MemorySegment memory, long at, int length, int address, int port);

  /// Sends the staged datagrams.
  void flush();

  /// Closes the socket. Idempotent.
  void close();
}
