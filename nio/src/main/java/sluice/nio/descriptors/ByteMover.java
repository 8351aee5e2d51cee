package sluice.nio.descriptors;

import java.lang.foreign.MemorySegment;

/// Moves bytes between native memory and a descriptor without blocking. The methods are called by
/// the thread that holds the lock of the direction.
public interface ByteMover {
  /// The result at the end of the stream. It differs from 0, which means that no bytes were
  /// requested.
  int EOF = Integer.MIN_VALUE;

  /// Receives bytes.
  ///
  /// @return the number of bytes received, [#EOF], or a negative errno
  int receive(MemorySegment segment, long offset, int length);

  /// Sends bytes.
  ///
  /// @return the number of bytes sent, or a negative errno
  int send(MemorySegment segment, long offset, int length);
}
