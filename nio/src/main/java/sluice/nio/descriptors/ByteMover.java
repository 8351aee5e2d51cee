package sluice.nio.descriptors;

import java.lang.foreign.MemorySegment;

/// A mover of bytes between native memory and one descriptor, without waiting. The thread that
/// holds the lock of the direction calls.
public interface ByteMover {
  /// The result at the end of the stream, because 0 means that no bytes were requested.
  int EOF = Integer.MIN_VALUE;

  /// Receives bytes.
  ///
  /// @return the number of bytes received, [#EOF], or a negative errno
  int receive(MemorySegment segment, long offset, int length);

  /// Sends bytes.
  ///
  /// @return the number of bytes taken, or a negative errno
  int send(MemorySegment segment, long offset, int length);
}
