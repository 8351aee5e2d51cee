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

/// The exceptions that applications know from the JDK's channels, with the same types and texts, in
/// addition to those of the socket calls themselves ([SocketErrors]). Stateless: any thread may
/// call.
public final class NetErrors {
  private static final String CLOSED = "Socket is closed";

  private NetErrors() {}

  /// Returns the exception for connecting a stream. The message includes the address if
  /// `jdk.includeInExceptions` has `hostInfo`, as in the JDK.
  ///
  /// @param errno positive or negated
  public static IOException ofConnect(int errno, SocketAddress remote) {
    return SocketErrors.of(
        errno,
        JdkDecisions.hostInfo() ? Errno.describe(errno) + ": " + remote : Errno.describe(errno));
  }

  /// Returns the exception for a call that accepts a connection, creates a pipe or moves bytes.
  public static IOException ofTransfer(int errno) {
    return new IOException(Errno.describe(errno));
  }

  /// Returns true if a negative result only means that nothing can be done now.
  public static boolean again(long result) {
    return result == -Errno.EAGAIN || result == -Errno.EINTR;
  }

  /// Translates an exception of a channel into that of a `Socket`.
  ///
  /// @throws RuntimeException the problem itself if a `Socket` throws it unchanged
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

  /// Translates an exception as [#forAdaptor] does, where only a `SocketException` may be thrown.
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
