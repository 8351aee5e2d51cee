package sluice.nio.descriptors;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import sluice.sys.Errno;
import sluice.sys.sockets.JdkDecisions;
import sluice.sys.sockets.SocketErrors;

/// The exceptions that applications expect from the JDK's channels, with the same types and
/// messages. The exceptions of the socket calls themselves are in [SocketErrors]. Stateless, so any
/// thread may call it.
public final class NetErrors {
  private static final String CLOSED = "Socket is closed";

  private NetErrors() {}

  /// Returns the exception for a failed connection attempt of a stream. The message includes the
  /// address if `jdk.includeInExceptions` contains `hostInfo`, as in the JDK.
  ///
  /// @param errno the error number, positive or negated
  public static IOException ofConnect(int errno, SocketAddress remote) {
    return SocketErrors.of(
        errno,
        JdkDecisions.hostInfo() ? Errno.describe(errno) + ": " + remote : Errno.describe(errno));
  }

  /// Returns the exception for a failed call that accepts a connection, creates a pipe or transfers
  /// bytes.
  public static IOException ofTransfer(int errno) {
    return new IOException(Errno.describe(errno));
  }

  /// Returns true if a negative result means that the operation would block or was interrupted and
  /// can be retried.
  public static boolean again(long result) {
    return result == -Errno.EAGAIN || result == -Errno.EINTR;
  }

  /// Translates an exception of a channel into the corresponding exception of a `Socket`.
  ///
  /// @throws RuntimeException the given exception itself if a `Socket` throws it unchanged
  public static IOException forAdaptor(Exception problem) {
    return switch (problem) {
      case ClosedChannelException e -> initCause(new SocketException(CLOSED), e);
      case IOException e -> e;
      case NotYetConnectedException e ->
          initCause(new SocketException("Socket is not connected"), e);
      case AlreadyBoundException e -> initCause(new SocketException("Already bound"), e);
      case AlreadyConnectedException e -> initCause(new SocketException("Already connected"), e);
      case NotYetBoundException e -> initCause(new SocketException("Socket is not bound yet"), e);
      case UnsupportedAddressTypeException e ->
          initCause(new SocketException("Unsupported address type"), e);
      case UnresolvedAddressException e -> initCause(new SocketException("Unresolved address"), e);
      case RuntimeException e -> throw e;
      default -> new IOException(problem);
    };
  }

  /// Translates an exception as [#forAdaptor] does, for methods that may only throw a
  /// `SocketException`.
  public static SocketException ofAdaptor(Exception problem) {
    IOException known = forAdaptor(problem);
    return known instanceof SocketException socket
        ? socket
        : initCause(new SocketException(known.getMessage()), known);
  }

  private static SocketException initCause(SocketException known, Exception cause) {
    known.initCause(cause);
    return known;
  }
}
