package sluice.nfs.v4.wire;

import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;

/// A range of bytes to lock, as NFSv4.1 names it. Immutable: any thread may use it.
///
/// @param start first byte, unsigned
/// @param end last byte, unsigned, inclusive
/// @param write whether no other owner may lock any of it
public record LockRange(long start, long end, boolean write) {
  /// All bytes from the offset on.
  private static final long TO_THE_END = -1;

  /// @param type `nfs_lock_type4`: 1 and 3 to read, 2 and 4 to write; 3 and 4 would wait
  /// @throws NfsException `INVAL` for no bytes, or bytes beyond the last
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

  /// `length4` of a range that ends there.
  public static long length(long start, long end) {
    return end == TO_THE_END ? TO_THE_END : end - start + 1;
  }
}
