package sluice.nio;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Errors of the kernel as applications know them from the JDK's channels: same types, same texts.
/// Without state: any thread may call.
final class NetErrors {
  private static final int EPROTO = 71;

  private NetErrors() {}

  /// Of a call that makes, binds or connects a socket, or asks for an option.
  ///
  /// @param errno positive or negated
  static IOException ofSocket(int errno) {
    String text = Errno.describe(errno);
    return switch (Math.abs(errno)) {
      case EPROTO -> new ProtocolException(text);
      case Errno.ECONNREFUSED, Errno.ETIMEDOUT, Errno.ENOTCONN -> new ConnectException(text);
      case Errno.EHOSTUNREACH -> new NoRouteToHostException(text);
      case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.EACCES, Errno.EPERM ->
          new BindException(text);
      default -> new SocketException(text);
    };
  }

  /// Of a call that moves bytes.
  static IOException ofTransfer(int errno) {
    return new IOException(Errno.describe(errno));
  }

  /// Passes a good result through.
  ///
  /// @param result what a system call returned: negative is an errno
  static int check(int result) throws IOException {
    if (result < 0) {
      throw ofSocket(result);
    }
    return result;
  }

  /// Whether a negative result says only that nothing can be done now.
  static boolean again(int result) {
    return result == -Errno.EAGAIN || result == -Errno.EINTR;
  }

  static IOException of(SysException failure) {
    IOException known = ofSocket(failure.errno());
    known.initCause(failure);
    return known;
  }

  /// A control call of `sys`.
  interface Call<T> {
    T run() throws SysException;
  }

  /// Runs it, with errors as the JDK's.
  static <T> T translate(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (SysException failure) {
      throw of(failure);
    }
  }

  /// Turns what a channel throws into what a `Socket` throws.
  static IOException forAdaptor(Exception problem) throws IOException {
    switch (problem) {
      case IOException io ->
          throw io instanceof java.nio.channels.ClosedChannelException
              ? initCause(new SocketException("Socket is closed"), io)
              : io;
      case java.nio.channels.NotYetConnectedException e ->
          throw initCause(new SocketException("Socket is not connected"), e);
      case java.nio.channels.AlreadyBoundException e ->
          throw initCause(new SocketException("Already bound"), e);
      case java.nio.channels.AlreadyConnectedException e ->
          throw initCause(new SocketException("Already connected"), e);
      case java.nio.channels.NotYetBoundException e ->
          throw initCause(new SocketException("Socket is not bound yet"), e);
      case java.nio.channels.UnsupportedAddressTypeException e ->
          throw initCause(new SocketException("Unsupported address type"), e);
      case java.nio.channels.UnresolvedAddressException e ->
          throw initCause(new SocketException("Unresolved address"), e);
      case RuntimeException e -> throw e;
      default -> throw new IOException(problem);
    }
  }

  private static SocketException initCause(SocketException known, Exception cause) {
    known.initCause(cause);
    return known;
  }
}
