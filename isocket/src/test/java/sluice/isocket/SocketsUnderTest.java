package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Assumptions;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;

/// Makes the sockets that a scenario runs over. Belongs to one test class.
interface SocketsUnderTest extends AutoCloseable {
  Socket client() throws IOException;

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

  /// Isockets on a loop of their own.
  final class Ours implements SocketsUnderTest {
    final ISocketLoop loop;

    Ours(Backend backend) throws IOException {
      loop = ISocketLoop.start("test-" + backend, backend);
    }

    /// Where the machine has the backend; otherwise the test says what is missing.
    static Ours on(Backend backend) throws IOException {
      String missing = "";
      try {
        Engines.choose(backend);
      } catch (IOException e) {
        missing = String.valueOf(e.getMessage());
      }
      Assumptions.assumeTrue(missing.isEmpty(), missing);
      return new Ours(backend);
    }

    @Override
    public ISocket client() throws IOException {
      return new ISocket(loop);
    }

    @Override
    public IServerSocket server() throws IOException {
      return new IServerSocket(loop);
    }

    @Override
    public void close() {
      loop.close();
    }
  }
}
