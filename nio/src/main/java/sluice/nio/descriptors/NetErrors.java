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

/// Errors as applications know them from the JDK's channels, beside those of the socket calls
/// themselves ([SocketErrors]): same types, same texts. Without state: any thread may call.
public final class NetErrors {
  private static final String CLOSED = "Socket is closed";

  private NetErrors() {}

  /// Of connecting a stream. The message names the address where `jdk.includeInExceptions` has
  /// `hostInfo`, as the JDK's does.
  ///
  /// @param errno positive or negated
  public static IOException ofConnect(int errno, SocketAddress remote) {
    return SocketErrors.of(
        errno,
        JdkDecisions.hostInfo() ? Errno.describe(errno) + ": " + remote : Errno.describe(errno));
  }

  /// Of a call that accepts a connection, makes a pipe or moves bytes.
  public static IOException ofTransfer(int errno) {
    return new IOException(Errno.describe(errno));
  }

  /// Whether a negative result says only that nothing can be done now.
  public static boolean again(long result) {
    return result == -Errno.EAGAIN || result == -Errno.EINTR;
  }

  /// What a channel throws, as what a `Socket` throws.
  ///
  /// @throws RuntimeException the problem itself when a `Socket` throws it as it is
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

  /// As [#forAdaptor], where only a `SocketException` may be thrown.
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
