package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// The structure `struct iovec`, which describes a single range of a gather or scatter operation in
/// 16 bytes.
///
/// This class is a stateless flyweight. Its methods must be called by the owner of the array, by
/// only one thread at a time. The buffers must remain valid until the system call that uses the
/// array has completed.
///
/// ```
///  byte 0          8         16
///      +-----------+---------+
///      | iov_base  | iov_len |
///      +-----------+---------+
/// ```
///
/// ```c
/// struct iovec { void *iov_base; size_t iov_len; };
/// ```
public final class IoVec {
  static final Layout LAYOUT = Layout.of("struct iovec");
  static final int IOV_BASE = LAYOUT.u64("iov_base");
  static final int IOV_LEN = LAYOUT.u64("iov_len");

  /// The size of an entry in bytes.
  public static final int SIZE = LAYOUT.sizeBytes();

  /// The maximum number of entries in one call (`UIO_MAXIOV`).
  public static final int LIMIT = 1024;

  private IoVec() {}

  /// Sets an entry to a range that is read or written by the kernel.
  ///
  /// @param array the memory of the entries, aligned to 8 bytes
  /// @param arrayOffset the offset in bytes of the entry with index 0
  public static void set(
      MemorySegment array,
      long arrayOffset,
      int index,
      MemorySegment buffer,
      long offset,
      int length) {
    long at = arrayOffset + (long) index * SIZE;
    array.set(JAVA_LONG, at + IOV_BASE, Ranges.readable(buffer, offset, length));
    array.set(JAVA_LONG, at + IOV_LEN, length);
  }

  /// Appends a range to an array of `count` entries. If the range is contiguous with the last
  /// entry, that entry is extended instead, because the kernel copies a single long range faster
  /// than several short ranges.
  ///
  /// @return the new number of entries
  public static int add(
      MemorySegment array,
      long arrayOffset,
      int count,
      MemorySegment buffer,
      long offset,
      int length) {
    if (count > 0) {
      long last = arrayOffset + (long) (count - 1) * SIZE;
      long before = array.get(JAVA_LONG, last + IOV_LEN);
      long address = Ranges.readable(buffer, offset, length);
      if (array.get(JAVA_LONG, last + IOV_BASE) + before == address) {
        array.set(JAVA_LONG, last + IOV_LEN, before + length);
        return count;
      }
    }
    set(array, arrayOffset, count, buffer, offset, length);
    return count + 1;
  }
}
