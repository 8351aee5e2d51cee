package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/// A socket of our own network stack, for use by [UserDatagrams]. Called by the loop's thread.
public interface UserDatagramSocket {
  /// Returns the bound address.
  InetSocketAddress address();

  /// Stages a datagram. Its bytes may be reused when this method returns.
  ///
  /// @param memory contains the bytes at `[at, at + length)`; the preceding
  ///   [UserDatagrams#HEADROOM_BYTES] may be overwritten
  /// @param address the IPv4 address, in host order
  /// @return false if the datagram was dropped
  boolean send(MemorySegment memory, long at, int length, int address, int port);

  /// Sends the staged datagrams.
  void flush();

  /// Closes the socket. Idempotent.
  void close();
}
