package sluice.loop.readiness;

import static sluice.sys.Errno.EADDRINUSE;
import static sluice.sys.Errno.EADDRNOTAVAIL;
import static sluice.sys.Errno.ECONNREFUSED;
import static sluice.sys.Errno.ECONNRESET;
import static sluice.sys.Errno.EHOSTUNREACH;
import static sluice.sys.Errno.EIO;
import static sluice.sys.Errno.EMFILE;
import static sluice.sys.Errno.ENETUNREACH;
import static sluice.sys.Errno.ENFILE;
import static sluice.sys.Errno.ENOTCONN;
import static sluice.sys.Errno.EPIPE;
import static sluice.sys.Errno.ETIMEDOUT;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Locale;

/// Maps JDK channel exceptions to the underlying errno, of which only the exception's class and
/// message remain. Stateless.
final class JdkErrno {
  /// The phrases in messages on Linux, macOS and Windows, and the errno values that they represent.
  private static final Object[][] MESSAGES = {
    {"too many open files in system", ENFILE},
    {"too many open files", EMFILE},
    {"connection reset", ECONNRESET},
    {"forcibly closed", ECONNRESET},
    {"broken pipe", EPIPE},
    {"connection was aborted", EPIPE},
    {"refused", ECONNREFUSED},
    {"timed out", ETIMEDOUT},
    {"network is unreachable", ENETUNREACH},
    {"address already in use", EADDRINUSE},
    {"assign requested address", EADDRNOTAVAIL},
  };

  private JdkErrno() {}

  /// Returns the errno that caused an exception.
  ///
  /// @return a positive errno, which is EIO if the cause is unknown
  static int of(Exception e) {
    if (e instanceof ClosedChannelException) {
      return EPIPE; // the channel is open for us: only a direction was shut down
    }
    if (e instanceof NotYetConnectedException) {
      return ENOTCONN;
    }
    String message = e.getMessage();
    if (message != null) {
      String lower = message.toLowerCase(Locale.ROOT);
      for (Object[] entry : MESSAGES) {
        if (lower.contains((String) entry[0])) {
          return (int) entry[1];
        }
      }
    }
    if (e instanceof NoRouteToHostException) {
      return EHOSTUNREACH;
    }
    return e instanceof ConnectException ? ECONNREFUSED : EIO;
  }

  /// Returns the errno that caused an exception as an operation result.
  ///
  /// @return a negative errno
  static int result(IOException e) {
    return -of(e);
  }
}
