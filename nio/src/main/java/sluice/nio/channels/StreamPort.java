package sluice.nio.channels;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// What a ring does for a connected stream channel: it receives ahead and sends with its turns. Or
/// what a front does that answers some of a connection's requests and leaves the rest. The holder
/// of the direction's lock calls [#receive] and [#send]; the rest as said.
public interface StreamPort {
  /// Bytes that [#stage] takes at most, together with what is staged already.
  int STAGE_BYTES = 4 << 10;

  /// Whether all input comes from here: the kernel's is neither read nor watched.
  default boolean bringsAll() {
    return false;
  }

  /// Copies bytes that were received ahead and moves the buffer's position. Holder of the read
  /// lock.
  ///
  /// @return bytes, 0 when there are none: ask [#receive]
  int take(ByteBuffer to);

  /// Takes all that the buffer has, to be sent at once or with the next turn. Holder of the write
  /// lock.
  ///
  /// @return whether it was taken; else ask [#send]
  boolean stage(ByteBuffer from);

  /// Bytes that were received ahead, or else the kernel's.
  ///
  /// @return as [sluice.nio.descriptors.ByteMover#receive]
  int receive(MemorySegment segment, long offset, int length);

  /// Takes bytes to be sent in order.
  ///
  /// @return as [sluice.nio.descriptors.ByteMover#send]
  int send(MemorySegment segment, long offset, int length);

  /// Bytes that were received ahead. Any thread.
  int heldBytes();

  /// Operations that are ready without asking the kernel. Any thread.
  int readyHere();

  /// Whether reading would return something now: bytes, the end, or an error. Any thread.
  boolean readable();

  /// Sends what is staged, as far as it goes. Holder of the write lock.
  ///
  /// @return whether nothing is staged any more
  boolean flush();

  /// Sends what is staged before the output is shut down, or sees to it that both happen later.
  /// Holder of the write lock.
  ///
  /// @return whether nothing is staged any more and the caller shuts down
  boolean flushBeforeShutdown();

  /// The ring lets go of the channel; what it has received stays here. Holder of both locks.
  void release();

  /// The channel is about to close its descriptor. The closing thread, without locks.
  void beforeClose();

  /// The channel's descriptor is closed and no thread is inside of the channel any more: what could
  /// not be sent is dropped. The closing thread, without locks.
  void closed();
}
