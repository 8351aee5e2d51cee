package sluice.nio.channels;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// A port that moves the bytes of a connected stream channel: a ring that receives ahead and sends
/// with its turns, or a front that answers some of a connection's requests and passes on the
/// others. The holder of the direction's lock calls [#receive] and [#send]; the other methods
/// document their callers.
public interface StreamPort {
  /// The most bytes that may be staged by [#stage], including those staged already.
  int STAGE_BYTES = 4 << 10;

  /// Returns true if all input comes from here, so that the kernel's is neither read nor watched.
  default boolean bringsAll() {
    return false;
  }

  /// Copies bytes that were received ahead, and advances the buffer's position. Called by the
  /// holder of the read lock.
  ///
  /// @return the number of bytes, 0 if there are none: then call [#receive]
  int take(ByteBuffer to);

  /// Stages all bytes of the buffer, to be sent at once or with the next turn. Called by the holder
  /// of the write lock.
  ///
  /// @return true if they were taken; otherwise call [#send]
  boolean stage(ByteBuffer from);

  /// Receives bytes: those received ahead, or else the kernel's.
  ///
  /// @return as [sluice.nio.descriptors.ByteMover#receive]
  int receive(MemorySegment segment, long offset, int length);

  /// Sends bytes in order.
  ///
  /// @return as [sluice.nio.descriptors.ByteMover#send]
  int send(MemorySegment segment, long offset, int length);

  /// Returns the number of bytes that were received ahead. Any thread may call.
  int heldBytes();

  /// Returns the operations that are ready without asking the kernel. Any thread may call.
  int readyHere();

  /// Returns true if reading would return bytes, the end, or an error now. Any thread may call.
  boolean readable();

  /// Sends staged bytes, as many as the kernel takes. Called by the holder of the write lock.
  ///
  /// @return true if nothing is staged any more
  boolean flush();

  /// Sends the staged bytes before the output is shut down, or arranges for both to happen later.
  /// Called by the holder of the write lock.
  ///
  /// @return true if nothing is staged any more and the caller has to shut down
  boolean flushBeforeShutdown();

  /// Releases the channel from the ring. Received bytes stay here. Called by the holder of both
  /// locks.
  void release();

  /// Prepares for the close of the channel's descriptor. Called on the closing thread, without
  /// locks.
  void beforeClose();

  /// Drops unsent bytes after the descriptor was closed and all threads have left the channel.
  /// Called on the closing thread, without locks.
  void closed();
}
