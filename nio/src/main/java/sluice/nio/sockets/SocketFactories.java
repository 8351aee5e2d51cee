package sluice.nio.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;

/// The socket factories that turn every `new ServerSocket` of this JVM into a listening channel of
/// the JVM's selector provider. A JVM accepts one pair of factories, once; the thread that starts
/// the application calls.
///
/// The JDK uses the factory of `Socket` both for the sockets that a `ServerSocket` accepts and for
/// those that the application connects, and does not say which. Both are therefore a
/// [StreamSocketImpl], whose first operation decides what it becomes.
public final class SocketFactories {
  private SocketFactories() {}

  /// Installs both factories.
  ///
  /// @return the reason why it is not possible, with the fix; empty on success
  @SuppressWarnings("deprecation") // the JDK has no other way to give a ServerSocket its sockets
  public static Optional<String> install() {
    JdkSockets outgoing = JdkSockets.find();
    if (outgoing == null) {
      return Optional.of(
          "java.base does not open java.net to us. Fix: -javaagent:sluice-agent.jar,"
              + " or 'sluice run'");
    }
    try {
      // Installs the factory of sockets first, because a listening channel accepts no other kind.
      Socket.setSocketImplFactory(() -> new StreamSocketImpl(outgoing::open));
      ServerSocket.setSocketFactory(() -> new ListeningSocketImpl(SelectorProvider.provider()));
      return Optional.empty();
    } catch (IOException taken) {
      return Optional.of("another factory is installed already (" + taken.getMessage() + ")");
    }
  }
}
