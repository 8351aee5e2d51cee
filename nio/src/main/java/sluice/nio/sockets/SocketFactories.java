package sluice.nio.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;

/// Makes every `new ServerSocket` of this JVM a listening channel of the JVM's selector provider. A
/// JVM takes one pair of factories, once; the thread that starts the application calls.
///
/// The JDK asks the factory of `Socket` both for the sockets that a `ServerSocket` accepts and for
/// those that the application connects, and does not tell which. So both are [StreamSocketImpl],
/// which becomes the one or the other by what is done with it.
public final class SocketFactories {
  private SocketFactories() {}

  /// Installs both factories.
  ///
  /// @return why it cannot be done, with the fix; empty when it is
  @SuppressWarnings("deprecation") // the JDK has no other way to give a ServerSocket its sockets
  public static Optional<String> install() {
    JdkSockets outgoing = JdkSockets.find();
    if (outgoing == null) {
      return Optional.of(
          "java.base does not open java.net to us. Fix: -javaagent:sluice-agent.jar,"
              + " or 'sluice run'");
    }
    try {
      // Sockets first: a listening socket of ours accepts no other kind.
      Socket.setSocketImplFactory(() -> new StreamSocketImpl(outgoing::open));
      ServerSocket.setSocketFactory(() -> new ListeningSocketImpl(SelectorProvider.provider()));
      return Optional.empty();
    } catch (IOException taken) {
      return Optional.of("another factory is installed already (" + taken.getMessage() + ")");
    }
  }
}
