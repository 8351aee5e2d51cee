package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import sluice.sys.call.Layout;

/// The structure `struct open_how`, which contains the parameters of `openat2(2)` in 24 bytes.
///
/// This class is stateless and thread-safe.
///
/// ```
///  byte 0       8      16        24
///      +-------+------+---------+
///      | flags | mode | resolve |
///      +-------+------+---------+
/// ```
///
/// ```c
/// struct open_how { __u64 flags; __u64 mode; __u64 resolve; };
/// ```
final class OpenHow {
  static final Layout LAYOUT = Layout.of("struct open_how");
  static final int FLAGS = LAYOUT.u64("flags");
  static final int MODE = LAYOUT.u64("mode");
  static final int RESOLVE = LAYOUT.u64("resolve");
  static final int SIZE = LAYOUT.sizeBytes();

  private OpenHow() {}

  static MemorySegment of(SegmentAllocator allocator, int flags, int mode, int resolve) {
    MemorySegment how = allocator.allocate(SIZE, Long.BYTES);
    how.set(JAVA_LONG, FLAGS, Integer.toUnsignedLong(flags));
    how.set(JAVA_LONG, MODE, mode);
    how.set(JAVA_LONG, RESOLVE, resolve);
    return how;
  }
}
