package sluice.sys.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Errors of the kernel's socket calls as applications know them from the JDK: same types, same
/// texts. Without state: any thread may call.
public final class SocketErrors {
  private static final int EPROTO = 71;

  private SocketErrors() {}

  /// Of a call that makes, binds or connects a socket, or asks for an option.
  ///
  /// @param errno positive or negated
  public static IOException of(int errno) {
    return of(errno, Errno.describe(errno));
  }

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

  public static IOException of(SysException failure) {
    IOException known = of(failure.errno());
    known.initCause(failure);
    return known;
  }

  /// Passes a good result through.
  ///
  /// @param result what a system call returned: negative is an errno
  public static int check(int result) throws IOException {
    if (result < 0) {
      throw of(result);
    }
    return result;
  }

  /// A control call of `sys`.
  public interface Call<T> {
    T run() throws SysException;
  }

  /// Runs it, with errors as the JDK's.
  public static <T> T translate(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (SysException failure) {
      throw of(failure);
    }
  }
}
