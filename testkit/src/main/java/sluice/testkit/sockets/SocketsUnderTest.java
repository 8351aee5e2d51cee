package sluice.testkit.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// Makes the sockets that a scenario runs over. Belongs to one test class.
public interface SocketsUnderTest extends AutoCloseable {
  /// A socket that is not connected.
  Socket client() throws IOException;

  /// A socket that is not bound.
  ServerSocket server() throws IOException;

  @Override
  default void close() {}

  /// A server on a free port of the loopback interface.
  default ServerSocket listening() throws IOException {
    ServerSocket server = server();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  /// Those of the JDK.
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
