package sluice.bench.poller;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/// Busy-wait polling, the baseline: the main thread reads every connection in turn, ready or not,
/// and never waits.
final class BusyServer {
  private BusyServer() {}

  static void run(PollerDemoOptions options) throws IOException {
    PollerDemoConnection.serveFile(options.file());
    try (ServerSocketChannel listener = options.listen()) {
      listener.configureBlocking(false);
      List<PollerDemoConnection> connections = new ArrayList<>();
      while (true) {
        SocketChannel channel = listener.accept();
        while (channel != null) {
          connections.add(options.connection(channel, false));
          channel = listener.accept();
        }
        for (int i = connections.size() - 1; i >= 0; i--) {
          if (connections.get(i).serve() < 0) {
            connections.get(i).close();
            connections.set(i, connections.getLast());
            connections.removeLast();
          }
        }
      }
    }
  }
}
