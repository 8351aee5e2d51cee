package sluice.testkit.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/// A pair of connected sockets. Belongs to one test.
public record SocketPair(Socket client, Socket accepted) implements AutoCloseable {
  /// Connects two sockets over the loopback interface.
  public static SocketPair of(SocketsUnderTest sockets) throws IOException {
    try (ServerSocket server = sockets.listening()) {
      Socket client = sockets.client();
      client.connect(server.getLocalSocketAddress());
      return new SocketPair(client, server.accept());
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    accepted.close();
  }
}
