package sluice.fs;

import java.io.IOException;
import sluice.sys.Errno;

/// The exception of a file operation: the POSIX errno and the object concerned. Safe for use by any
/// thread.
///
/// Common results (`ENOENT`, `EEXIST`, `EACCES`, …) have no stack trace, so that they are cheap.
/// `EIO` and `EUCLEAN` have one.
public final class FsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  private FsException(int errno, String what) {
    super(Errno.name(errno) + " (" + Errno.describe(errno) + "): " + what);
    this.errno = errno;
  }

  /// Creates an exception.
  ///
  /// @param errno positive, see [Errno]
  /// @param what the operation and its object, for a reader of the log
  public static FsException of(int errno, String what) {
    FsException made = new FsException(errno, what);
    return errno == Errno.EIO ? made.withStack() : made;
  }

  /// Creates the exception for an image that contradicts itself, `EUCLEAN`, with the place of the
  /// damage.
  ///
  /// @param inode 0 if no inode is concerned
  /// @param block -1 if no block is concerned
  public static FsException corrupt(long inode, long block, String what) {
    StringBuilder place = new StringBuilder();
    if (inode != 0) {
      place.append("inode ").append(inode).append(": ");
    }
    if (block >= 0) {
      place.append("block ").append(block).append(": ");
    }
    String message = place + what + "; Fix: run sluice fs fsck on the image";
    return new FsException(Errno.EUCLEAN, message).withStack();
  }

  /// Returns the errno, positive, see [Errno].
  public int errno() {
    return errno;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // called by the constructor; see withStack
  }

  private FsException withStack() {
    super.fillInStackTrace();
    return this;
  }
}
