package sluice.testkit.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// Creates the sockets for a scenario. Belongs to one test class.
public interface SocketsUnderTest extends AutoCloseable {
  /// Returns a new unconnected socket.
  Socket client() throws IOException;

  /// Returns a new unbound server socket.
  ServerSocket server() throws IOException;

  @Override
  default void close() {}

  /// Returns a server socket that listens on a free port of the loopback interface.
  default ServerSocket listening() throws IOException {
    ServerSocket server = server();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  /// Creates sockets of the JDK.
  final class Jdk implements SocketsUnderTest {
    @Override
    public Socket client() {
      return new Socket();
    }

    @Override
    public ServerSocket server() throws IOException {
      return new ServerSocket();
    }
  }
}
