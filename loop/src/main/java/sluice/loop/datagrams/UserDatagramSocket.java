package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/// What a network stack of our own does for a [UserDatagrams]. Called by the loop's thread.
public interface UserDatagramSocket {
  /// Where it is bound.
  InetSocketAddress address();

  /// Stages a datagram; its bytes are used no more when this returns.
  ///
  /// @param memory the bytes are `[at, at + length)`; the [UserDatagrams#HEADROOM_BYTES] before may
  ///   be overwritten
  /// @param address of IPv4, in host order
  /// @return false when it was dropped
  boolean send(MemorySegment memory, long at, int length, int address, int port);

  /// Sends what is staged.
  void flush();

  /// Idempotent.
  void close();
}
