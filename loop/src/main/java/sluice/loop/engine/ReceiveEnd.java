package sluice.loop.engine;

import sluice.sys.Errno;

/// The meaning of a receive's result, for all code that receives by completion. Any thread may
/// call.
public enum ReceiveEnd {
  /// Bytes arrived.
  NONE,

  /// The peer sends no more.
  OF_STREAM,

  /// No chunk was free. Nothing is lost: the receive is armed again once chunks are free, see
  /// [StarvedReceives].
  STARVED,

  /// The receive was cancelled or interrupted. Nothing is lost: it may be armed again.
  PASSING,

  /// The connection is gone; the result gives the reason.
  FAILED;

  /// Returns the meaning of a result.
  ///
  /// @param result the result of a completion: a number of bytes, 0, or a negative errno
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
