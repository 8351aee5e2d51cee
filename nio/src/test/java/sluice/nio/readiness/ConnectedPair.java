package sluice.nio.readiness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/// Two ends of a connection over the loopback: one of the provider under test, one of the engine
/// beside it. Belongs to the test's thread.
record ConnectedPair(SocketChannel ours, SocketChannel peer) implements AutoCloseable {
  static ConnectedPair open(SelectorProvider provider) throws IOException {
    try (ServerSocketChannel server = provider.openServerSocketChannel()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel peer = SocketChannel.open(server.getLocalAddress());
      SocketChannel ours = server.accept();
      ours.configureBlocking(false);
      return new ConnectedPair(ours, peer);
    }
  }

  /// The peer sends so many bytes.
  void arrive(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      peer.write(buffer);
    }
  }

  /// Reads what is there, up to a limit.
  int take(int limit) throws IOException {
    return Math.max(ours.read(ByteBuffer.allocate(limit)), 0);
  }

  @Override
  public void close() throws IOException {
    ours.close();
    peer.close();
  }
}
