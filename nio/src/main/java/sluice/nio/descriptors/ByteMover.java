package sluice.nio.descriptors;

import java.lang.foreign.MemorySegment;

/// Moves bytes between native memory and one descriptor without waiting. The thread that holds the
/// lock of the direction calls.
public interface ByteMover {
  /// Marks the end of the stream, where 0 means that nothing was asked for.
  int EOF = Integer.MIN_VALUE;

  /// @return bytes received, [#EOF], or a negative errno
  int receive(MemorySegment segment, long offset, int length);

  /// @return bytes taken, or a negative errno
  int send(MemorySegment segment, long offset, int length);
}
