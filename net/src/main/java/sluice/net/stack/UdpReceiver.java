package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// A receiver of the datagrams of one socket. It is invoked by the stack's thread.
@FunctionalInterface
public interface UdpReceiver {
  /// Invoked when a datagram has been received.
  ///
  /// @param memory the memory that contains the data in `[at, at + length)`, which is valid until
  ///   this method returns
  /// @param address the address of the sender, in host order
  /// @param port the port of the sender
  void received(MemorySegment memory, long at, int length, int address, int port);
}
