package sluice.sys.call;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Converts `(segment, offset, length)` to an address for use by the kernel, after performing the
/// checks that preserve memory safety.
///
/// This class is thread-safe. Every range must be within its segment, and the segment must be
/// native, alive, and writable if the kernel writes to it.
public final class Ranges {
  private Ranges() {}

  /// Returns the address of a range that is read by the kernel.
  public static long readable(MemorySegment segment, long offset, long length) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    if (!segment.isNative()) {
      throw new IllegalArgumentException("the kernel needs a native segment, not a heap array");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("segment is confined to another thread: " + segment);
    }
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("segment is closed: " + segment);
    }
    return segment.address() + offset;
  }

  /// Returns the address of a range that is written by the kernel.
  public static long writable(MemorySegment segment, long offset, long length) {
    checkWritable(segment);
    return readable(segment, offset, length);
  }

  private static void checkWritable(MemorySegment segment) {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("the kernel would write to a read-only segment");
    }
  }
}
