package sluice.nio.channels;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// A port that transfers the bytes of a connected stream channel. It is either a ring, which
/// receives in advance and sends in its turns, or a front, which answers some requests of a
/// connection and forwards the others. The holder of the direction's lock calls [#receive] and
/// [#send]. The other methods document their callers.
public interface StreamPort {
  /// The maximum number of staged bytes, including those of earlier calls of [#stage].
  int STAGE_BYTES = 4 << 10;

  /// Returns true if this port delivers all input, in which case the channel neither reads nor
  /// watches the kernel's receive queue.
  default boolean bringsAll() {
    return false;
  }

  /// Copies bytes that were received in advance and advances the buffer's position. Called by the
  /// holder of the read lock.
  ///
  /// @return the number of bytes copied, or 0 if [#receive] must be called because there are none
  int take(ByteBuffer to);

  /// Stages all bytes of the buffer. They are sent immediately or in the next turn. Called by the
  /// holder of the write lock.
  ///
  /// @return true if the bytes were staged, or false if the caller must use [#send]
  boolean stage(ByteBuffer from);

  /// Receives bytes. Bytes that were received in advance are returned before bytes from the kernel.
  ///
  /// @return the result as defined by [sluice.nio.descriptors.ByteMover#receive]
  int receive(MemorySegment segment, long offset, int length);

  /// Sends bytes after all bytes that were sent or staged earlier.
  ///
  /// @return the result as defined by [sluice.nio.descriptors.ByteMover#send]
  int send(MemorySegment segment, long offset, int length);

  /// Returns the number of bytes that were received in advance. Any thread may call.
  int heldBytes();

  /// Returns the operations that are known to be ready without querying the kernel. Any thread may
  /// call.
  int readyHere();

  /// Returns true if a read would return immediately with bytes, the end of the stream or an error.
  /// Any thread may call.
  boolean readable();

  /// Sends as many staged bytes as the kernel accepts. Called by the holder of the write lock.
  ///
  /// @return true if no staged bytes remain
  boolean flush();

  /// Sends the staged bytes before the output is shut down, or schedules both for later. Called by
  /// the holder of the write lock.
  ///
  /// @return true if no staged bytes remain and the caller must shut down the output
  boolean flushBeforeShutdown();

  /// Detaches the channel from the ring. Received bytes remain in this port. Called by the holder
  /// of both locks.
  void release();

  /// Prepares for closing the channel's descriptor. This method is called on the closing thread,
  /// which holds no locks.
  void beforeClose();

  /// Discards unsent bytes after the descriptor has been closed and all threads have left the
  /// channel. This method is called on the closing thread, which holds no locks.
  void closed();
}
