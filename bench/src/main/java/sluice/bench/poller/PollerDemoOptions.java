package sluice.bench.poller;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.bench.run.OptionNumber;
import sluice.loop.engine.Backend;

/// The command line of a demo. Immutable.
///
/// @param port 0 to 65 535
/// @param backend of the polling servers
/// @param workers the number of their threads
/// @param file answer to HTTP requests; null to echo
/// @param connections the number of the client's connections
/// @param messages the number of the client's messages on each connection
/// @param bytes of each message
record PollerDemoOptions(
    int port,
    Backend backend,
    int workers,
    @Nullable Path file,
    int connections,
    int messages,
    int bytes) {
  static final int MOST_CONNECTIONS = 65_535;
  private static final int BACKLOG = 4096;

  static PollerDemoOptions parse(List<String> arguments) {
    int port = 9000;
    Backend backend = Backend.EPOLL;
    int workers = Runtime.getRuntime().availableProcessors();
    Path file = null;
    int connections = 1000;
    int messages = 100;
    int bytes = 64;
    for (int i = 0; i < arguments.size(); i += 2) {
      String option = arguments.get(i);
      if (i + 1 == arguments.size()) {
        throw new IllegalArgumentException(option + " needs a value, or is unknown");
      }
      String value = arguments.get(i + 1);
      switch (option) {
        case "--port" -> port = OptionNumber.whole(option, value, 0, 65_535);
        case "--backend" -> backend = Backend.parse(value);
        case "--workers" -> workers = OptionNumber.whole(option, value, 1, 256);
        case "--http" -> file = Path.of(value);
        case "--connections" ->
            connections = OptionNumber.whole(option, value, 1, MOST_CONNECTIONS);
        case "--messages" -> messages = OptionNumber.whole(option, value, 1, 1_000_000_000);
        case "--bytes" -> bytes = OptionNumber.whole(option, value, 1, 16 << 10);
        default -> throw new IllegalArgumentException("unknown option " + option);
      }
    }
    return new PollerDemoOptions(port, backend, workers, file, connections, messages, bytes);
  }

  /// Returns a blocking listener on the loopback address.
  ServerSocketChannel listen() throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    try {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw new IOException(
          "cannot listen on port " + port + ": " + e.getMessage() + ". Fix: --port with another",
          e);
    }
    System.out.println("listening on port " + listener.socket().getLocalPort());
    return listener;
  }

  /// Returns a connection on an accepted channel.
  ///
  /// @param blocking true if its thread waits in read and write
  PollerDemoConnection connection(SocketChannel channel, boolean blocking) throws IOException {
    channel.configureBlocking(blocking);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return new PollerDemoConnection(channel, file != null);
  }
}
