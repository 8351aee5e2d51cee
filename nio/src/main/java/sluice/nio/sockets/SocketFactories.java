package sluice.nio.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;

/// The socket factories that turn every `new ServerSocket` of this JVM into a listening channel of
/// the JVM's selector provider. A JVM accepts only one pair of factories, which is installed by the
/// thread that starts the application.
///
/// The JDK uses the factory of `Socket` both for sockets that a `ServerSocket` accepts and for
/// sockets that the application connects, and the factory cannot distinguish them. Both are
/// therefore a [StreamSocketImpl], whose kind is determined by its first operation.
public final class SocketFactories {
  private SocketFactories() {}

  /// Installs both factories.
  ///
  /// @return the reason why they could not be installed, including a fix, or an empty value on
  ///   success
  @SuppressWarnings("deprecation") // the JDK has no other way to give a ServerSocket its sockets
  public static Optional<String> install() {
    JdkSockets outgoing = JdkSockets.find();
    if (outgoing == null) {
      return Optional.of(
          "java.base does not open java.net to us. Fix: -javaagent:sluice-agent.jar,"
              + " or 'sluice run'");
    }
    try {
      // The factory of sockets is installed first because a listening channel requires its sockets.
      Socket.setSocketImplFactory(() -> new StreamSocketImpl(outgoing::open));
      ServerSocket.setSocketFactory(() -> new ListeningSocketImpl(SelectorProvider.provider()));
      return Optional.empty();
    } catch (IOException taken) {
      return Optional.of("another factory is installed already (" + taken.getMessage() + ")");
    }
  }
}
