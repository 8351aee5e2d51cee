package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// Gets the datagrams of one socket. Called by the stack's thread.
@FunctionalInterface
public interface UdpReceiver {
  /// A datagram has come.
  ///
  /// @param memory its bytes are `[at, at + length)`, good until this returns
  /// @param address of the sender, in host order
  /// @param port of the sender
  void received(MemorySegment memory, long at, int length, int address, int port);
}
