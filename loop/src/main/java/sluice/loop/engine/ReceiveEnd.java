package sluice.loop.engine;

import sluice.sys.Errno;

/// What the result of a receive says: one reading for all that receive by completion. Any thread.
public enum ReceiveEnd {
  /// Bytes came.
  NONE,

  /// The peer sends no more.
  OF_STREAM,

  /// There was no chunk. Nothing is lost: armed again once there are some, see [StarvedReceives].
  STARVED,

  /// It was cancelled or interrupted. Nothing is lost: it may be armed again.
  PASSING,

  /// The connection is gone, for the reason that the result tells.
  FAILED;

  /// @param result of a completion: bytes, 0, or a negative errno
  public static ReceiveEnd of(int result) {
    if (result > 0) {
      return NONE;
    }
    return switch (-result) {
      case 0 -> OF_STREAM;
      case Errno.ENOBUFS -> STARVED;
      case Errno.ECANCELED, Errno.EAGAIN, Errno.EINTR -> PASSING;
      default -> FAILED;
    };
  }
}
