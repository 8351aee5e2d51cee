package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// `struct iovec`: one range of a gathering or scattering call, 16 bytes.
///
/// A flyweight without state: the owner of the array may call, from one thread at a time. The
/// buffers must outlive the call that uses the array.
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

  /// Size of one entry in bytes.
  public static final int SIZE = LAYOUT.sizeBytes();

  /// Most entries in one call (`UIO_MAXIOV`).
  public static final int LIMIT = 1024;

  private IoVec() {}

  /// Fills one entry with a range the kernel reads or writes.
  ///
  /// @param array where the entries are, aligned to 8 bytes
  /// @param arrayOffset where entry `index` 0 begins, in bytes
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

  /// Adds a range behind `count` entries: to the last of them where it goes on in memory, because
  /// the kernel copies one long range faster than its parts.
  ///
  /// @return entries that there are now
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
