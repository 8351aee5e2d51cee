package sluice.isocket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/// A connection of two sockets. Belongs to one test.
record Pair(Socket client, Socket accepted) implements AutoCloseable {
  static Pair of(SocketsUnderTest sockets) throws IOException {
    try (ServerSocket server = sockets.listening()) {
      Socket client = sockets.client();
      client.connect(server.getLocalSocketAddress());
      return new Pair(client, server.accept());
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    accepted.close();
  }
}
