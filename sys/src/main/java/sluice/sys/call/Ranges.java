package sluice.sys.call;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Converts `(segment, offset, length)` to an address for the kernel, after the checks that keep
/// Java memory-safe.
///
/// Safe for use by any thread. Every range is checked: it must be inside of the segment, native,
/// alive, and writable if the kernel writes it.
public final class Ranges {
  private Ranges() {}

  /// Returns the address of a range that the kernel reads.
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

  /// Returns the address of a range that the kernel writes.
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
