package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// `struct iovec`: one range of a gathering or scattering call, 16 bytes.
///
/// A flyweight without state: whoever owns the array may call, from one thread at a time. The
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
}
