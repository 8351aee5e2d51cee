package sluice.net.stack;

import java.lang.foreign.MemorySegment;

/// Gets replies to echoes. Called by the stack's thread.
@FunctionalInterface
public interface EchoListener {
  /// A reply has come.
  ///
  /// @param data its bytes are `[at, at + length)`, good until this returns
  void replied(int from, int idAndNumber, MemorySegment data, long at, int length);
}
