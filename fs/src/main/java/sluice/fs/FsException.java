package sluice.fs;

import java.io.IOException;
import sluice.sys.Errno;

/// Thrown when a file operation fails. The exception contains the POSIX errno and a description of
/// the object. This class is thread-safe.
///
/// Exceptions for common results (`ENOENT`, `EEXIST`, `EACCES`, …) are created without a stack
/// trace so that they are cheap. Exceptions for `EIO` and `EUCLEAN` have a stack trace.
public final class FsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  private FsException(int errno, String what) {
    super(Errno.name(errno) + " (" + Errno.describe(errno) + "): " + what);
    this.errno = errno;
  }

  /// Creates an exception.
  ///
  /// @param errno the error number, which is positive (see [Errno])
  /// @param what the operation and its object, as a message for the log
  public static FsException of(int errno, String what) {
    FsException made = new FsException(errno, what);
    return errno == Errno.EIO ? made.withStack() : made;
  }

  /// Creates an `EUCLEAN` exception that reports that an image is inconsistent, and the location of
  /// the damage.
  ///
  /// @param inode the inode number, or 0 if no inode is affected
  /// @param block the block number, or -1 if no block is affected
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

  /// Returns the error number, which is positive (see [Errno]).
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
