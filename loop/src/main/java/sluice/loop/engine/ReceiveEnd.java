package sluice.loop.engine;

import sluice.sys.Errno;

/// The meaning of the result of a receive, for all code that receives by completion. Any thread may
/// call.
public enum ReceiveEnd {
  /// Bytes have arrived.
  NONE,

  /// The peer will send no more.
  OF_STREAM,

  /// No chunk was free. No data is lost, and the receive is armed again once chunks are free, see
  /// [StarvedReceives].
  STARVED,

  /// The receive was cancelled or interrupted. No data is lost, and the receive may be armed again.
  PASSING,

  /// The connection has failed. The result indicates the reason.
  FAILED;

  /// Returns the meaning of a result.
  ///
  /// @param result the result of a completion, which is a number of bytes, 0, or a negative errno
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
