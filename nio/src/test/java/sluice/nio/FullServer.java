package sluice.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Assumptions;

/// A server whose queue of connections is full, so that a further connect stays pending. Used by
/// the test's thread.
final class FullServer implements AutoCloseable {
  private static final int ATTEMPTS = 64;

  private final ServerSocket server;

  FullServer() throws IOException {
    server = new ServerSocket(0, 1, Scenario.loopback(0).getAddress());
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /// A non-blocking channel that was asked to connect and is not connected after a while. Fills the
  /// queue as needed.
  SocketChannel pending(Scenario scenario) throws IOException, InterruptedException {
    for (int i = 0; i < ATTEMPTS; i++) {
      SocketChannel channel = scenario.socket();
      channel.configureBlocking(false);
      boolean connected = channel.connect(address());
      for (int wait = 0; wait < 60 && !connected; wait++) {
        Thread.sleep(5);
        connected = channel.finishConnect();
      }
      if (!connected) {
        return channel;
      }
    }
    return Assumptions.abort("this kernel's queues of connections do not fill");
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
