package sluice.sys.call;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Turns `(segment, offset, length)` into what the kernel takes, after the checks that keep Java
/// memory-safe.
///
/// Any thread may call. Every range is checked: inside the segment, native, alive, and writable
/// where the kernel writes.
public final class Ranges {
  private Ranges() {}

  /// Address of a range the kernel reads.
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

  /// Address of a range the kernel writes.
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
