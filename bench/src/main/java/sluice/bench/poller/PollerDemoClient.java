package sluice.bench.poller;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;

/// The client of the demo: opens its connections, then keeps one message in flight on each until
/// all were echoed, and prints the time. A single thread uses a poller for all of them.
final class PollerDemoClient {
  private static final int BATCH = 1024;

  private final PollerDemoOptions options;
  private final SocketChannel[] channels;
  private final int[] received;
  private final int[] left;
  private final ByteBuffer message;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);

  private PollerDemoClient(PollerDemoOptions options) {
    this.options = options;
    channels = new SocketChannel[options.connections()];
    received = new int[options.connections()];
    left = new int[options.connections()];
    message = ByteBuffer.allocateDirect(options.bytes());
  }

  static void run(PollerDemoOptions options) throws IOException {
    PollerDemoClient client = new PollerDemoClient(options);
    try (Poller poller = Poller.open(options.connections(), options.backend())) {
      client.connect(poller);
      long start = System.nanoTime();
      client.exchange(poller);
      double seconds = (System.nanoTime() - start) / 1e9;
      long total = (long) options.connections() * options.messages();
      System.out.printf(
          Locale.ROOT,
          "%,d connections, %,d messages: %.2f s, %,.0f messages/s%n",
          options.connections(),
          total,
          seconds,
          total / seconds);
    } finally {
      client.close();
    }
  }

  /// Opens the connections. Entries of a fresh poller have the slots 0, 1, 2, …: the number of a
  /// connection.
  private void connect(Poller poller) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port());
    for (int i = 0; i < channels.length; i++) {
      channels[i] = open(address, i);
      channels[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
      channels[i].setOption(StandardSocketOptions.SO_LINGER, 0); // leaves no TIME_WAIT
      channels[i].configureBlocking(false);
      left[i] = options.messages();
      poller.add(channels[i], Poller.IN);
    }
  }

  private static SocketChannel open(InetSocketAddress address, int before) throws IOException {
    try {
      return SocketChannel.open(address);
    } catch (ConnectException e) {
      throw new IOException(
          "port %d, connection %d: %s. Fix: start a server there, 'sluice bench demo PollingServer'"
              .formatted(address.getPort(), before + 1, e.getMessage()),
          e);
    } catch (IOException e) {
      throw new IOException(
          "connection %d: %s. Fix: fewer --connections, or more descriptors (ulimit -n)"
              .formatted(before + 1, e.getMessage()),
          e);
    }
  }

  private void exchange(Poller poller) throws IOException {
    for (SocketChannel channel : channels) {
      send(channel);
    }
    PollerEvents events = new PollerEvents(BATCH);
    int open = channels.length;
    while (open > 0) {
      int count = poller.await(events, BATCH, -1);
      for (int i = 0; i < count; i++) {
        open -= receive(Poller.index(events.handle(i))) ? 1 : 0;
      }
    }
  }

  /// Returns true if that was the connection's last message.
  private boolean receive(int index) throws IOException {
    int bytes = channels[index].read(buffer.clear());
    if (bytes < 0) {
      throw new IOException("connection " + index + " was closed by the server");
    }
    received[index] += bytes;
    if (received[index] < options.bytes()) {
      return false;
    }
    received[index] = 0;
    if (--left[index] > 0) {
      send(channels[index]);
    }
    return left[index] == 0;
  }

  /// Sends a message, which always fits: nothing else is under way.
  private void send(SocketChannel channel) throws IOException {
    if (channel.write(message.clear()) < options.bytes()) {
      throw new IOException("a message of " + options.bytes() + " bytes did not fit");
    }
  }

  private void close() throws IOException {
    for (SocketChannel channel : channels) {
      if (channel != null) {
        channel.close();
      }
    }
  }
}
