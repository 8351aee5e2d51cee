package sluice.bench.poller;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/// A thread for each connection, platform or virtual, with blocking reads and writes. The main
/// thread accepts.
final class SimpleServer {
  private static final int RECEIVE_BYTES = 4 << 10;

  private SimpleServer() {}

  static void run(PollerDemoOptions options, Thread.Builder threads) throws IOException {
    PollerDemoConnection.serveFile(options.file());
    try (ServerSocketChannel listener = options.listen()) {
      while (true) {
        PollerDemoConnection connection = options.connection(listener.accept(), true);
        threads.start(() -> serve(connection));
      }
    }
  }

  private static void serve(PollerDemoConnection connection) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(RECEIVE_BYTES);
    while (connection.serve(buffer) >= 0) {
      // the next read waits
    }
    connection.close();
  }
}
