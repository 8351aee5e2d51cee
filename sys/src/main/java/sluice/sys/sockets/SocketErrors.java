package sluice.sys.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Converts errors of socket calls to the exceptions that the JDK would throw, with the same types
/// and messages. This class is stateless and thread-safe.
public final class SocketErrors {
  private static final int EPROTO = 71;

  private SocketErrors() {}

  /// Returns the exception for a failure to create, bind or connect a socket, or to access an
  /// option.
  ///
  /// @param errno the error number, positive or negated
  public static IOException of(int errno) {
    return of(errno, Errno.describe(errno));
  }

  /// Returns the exception for an errno with the given message.
  ///
  /// @param errno the error number, positive or negated
  /// @param text the message
  public static IOException of(int errno, String text) {
    return switch (Math.abs(errno)) {
      case EPROTO -> new ProtocolException(text);
      case Errno.ECONNREFUSED, Errno.ETIMEDOUT, Errno.ENOTCONN -> new ConnectException(text);
      case Errno.EHOSTUNREACH -> new NoRouteToHostException(text);
      case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.EACCES, Errno.EPERM ->
          new BindException(text);
      default -> new SocketException(text);
    };
  }

  /// Returns the exception for a failed system call, with the failure as its cause.
  public static IOException of(SysException failure) {
    IOException known = of(failure.errno());
    known.initCause(failure);
    return known;
  }

  /// Checks the result of a system call and returns it.
  ///
  /// @param result the result, where a negative value is a negated errno
  /// @throws IOException if the result is negative
  public static int check(int result) throws IOException {
    if (result < 0) {
      throw of(result);
    }
    return result;
  }

  /// A call of module `sys` that may throw a [SysException].
  public interface Call<T> {
    T run() throws SysException;
  }

  /// Runs a call and converts its failure into the JDK's exception.
  public static <T> T translate(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (SysException failure) {
      throw of(failure);
    }
  }
}
