package sluice.fs;

import java.io.IOException;
import sluice.sys.Errno;

/// A file operation was refused or failed: the errno POSIX gives for it, and what it was about. Any
/// thread may use it.
///
/// Answers that are no fault (`ENOENT`, `EEXIST`, `EACCES`, …) carry no stack trace, so that they
/// cost little: a file system gives them all day. `EIO` and `EUCLEAN` carry one.
public final class FsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  private FsException(int errno, String what) {
    super(Errno.name(errno) + " (" + Errno.describe(errno) + "): " + what);
    this.errno = errno;
  }

  /// @param errno positive, see [Errno]
  /// @param what the operation and its object, as a reader of a log needs it
  public static FsException of(int errno, String what) {
    FsException made = new FsException(errno, what);
    return errno == Errno.EIO ? made.withStack() : made;
  }

  /// The image contradicts itself. Names the place.
  ///
  /// @param inode 0 when no inode is concerned
  /// @param block -1 when no block is concerned
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

  /// Positive, see [Errno].
  public int errno() {
    return errno;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // the constructor's call; see withStack
  }

  private FsException withStack() {
    super.fillInStackTrace();
    return this;
  }
}
