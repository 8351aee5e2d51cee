package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// Receives the datagrams of one socket. Called by the stack's thread.
@FunctionalInterface
public interface UdpReceiver {
  /// Handles a datagram.
  ///
  /// @param memory the memory of the data `[at, at + length)`, valid until this method returns
  /// @param address the address of the sender, in host order
  /// @param port the port of the sender
  void received(MemorySegment memory, long at, int length, int address, int port);
}
