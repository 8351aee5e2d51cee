package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// Receives replies to ICMP echo requests. Called by the stack's thread.
@FunctionalInterface
public interface EchoListener {
  /// Handles a reply.
  ///
  /// @param from the address of the sender, in host order
  /// @param idAndNumber the identifier in the upper and the sequence number in the lower 16 bits
  /// @param data the memory of the data `[at, at + length)`, valid until this method returns
  void replied(int from, int idAndNumber, MemorySegment data, long at, int length);
}
