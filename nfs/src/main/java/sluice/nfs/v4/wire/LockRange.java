package sluice.nfs.v4.wire;

import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;

/// A byte range of a LOCK operation. Instances are immutable and thread-safe.
///
/// @param start the first byte, unsigned
/// @param end the last byte, unsigned and inclusive
/// @param write true for an exclusive lock
public record LockRange(long start, long end, boolean write) {
  /// The length that represents a range up to the end of the file.
  private static final long TO_THE_END = -1;

  /// Returns the range of a lock request.
  ///
  /// @param type the `nfs_lock_type4`, where 1 and 3 are read locks, 2 and 4 are write locks, and 3
  ///   and 4 are the blocking types
  /// @throws NfsException `INVAL` if the length is 0 or the end exceeds 2^64 - 1
  public static LockRange of(int type, long offset, long length) throws NfsException {
    if (type < 1 || type > 4) {
      throw new XdrException("a type of lock is 1 to 4");
    }
    long end = length == TO_THE_END ? TO_THE_END : offset + length - 1;
    if (length == 0 || Long.compareUnsigned(end, offset) < 0) {
      throw new NfsException(NfsStatus.INVAL);
    }
    return new LockRange(offset, end, (type & 1) == 0);
  }

  /// Returns the `length4` of the given range.
  public static long length(long start, long end) {
    return end == TO_THE_END ? TO_THE_END : end - start + 1;
  }
}
