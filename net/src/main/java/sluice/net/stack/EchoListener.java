package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// A listener that receives the replies to ICMP echo requests. It is invoked by the stack's thread.
@FunctionalInterface
public interface EchoListener {
  /// Invoked when a reply has been received.
  ///
  /// @param from the address of the sender, in host order
  /// @param idAndNumber the identifier in the upper 16 bits and the sequence number in the lower 16
  ///   bits
  /// @param data the memory that contains the data in `[at, at + length)`, which is valid until
  ///   this method returns
  void replied(int from, int idAndNumber, MemorySegment data, long at, int length);
}
