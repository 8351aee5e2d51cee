package sluice.bench.packets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// An end on the JDK's non-blocking `DatagramChannel`; an end that sleeps uses a `Selector`. Used
/// by one thread.
final class ChannelEnd implements PacketEnd {
  private static final String SERVER = "10.11.0.1";
  private static final String CLIENT = "10.11.0.2";

  private final DatagramChannel channel;
  private final @Nullable Selector selector;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);

  private ChannelEnd(DatagramChannel channel, @Nullable Selector selector) {
    this.channel = channel;
    this.selector = selector;
  }

  static ChannelEnd open(boolean client, boolean waits) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.bind(new InetSocketAddress(client ? CLIENT : SERVER, PORT));
    if (client) {
      channel.connect(new InetSocketAddress(SERVER, PORT));
    }
    channel.configureBlocking(false);
    Selector selector = waits ? Selector.open() : null;
    if (selector != null) {
      channel.register(selector, SelectionKey.OP_READ);
    }
    return new ChannelEnd(channel, selector);
  }

  @Override
  public void echo(BooleanSupplier ended) throws IOException {
    while (!ended.getAsBoolean()) {
      SocketAddress from = channel.receive(buffer.clear());
      if (from != null) {
        int _ = channel.send(buffer.flip(), from);
      } else {
        idle();
      }
    }
  }

  private void idle() throws IOException {
    if (selector != null) {
      int _ = selector.select(_ -> {}, WAIT_MILLIS);
    }
  }

  @Override
  public long exchange(int bytes, int window, long nanos, RoundTrips results) throws IOException {
    long came = 0;
    long sent = 0;
    long start = System.nanoTime();
    long last = start;
    while (last - start < nanos) {
      while (sent - came < window) {
        sent += channel.write(buffer.clear().limit(bytes)) > 0 ? 1 : 0;
      }
      long before = came;
      long begin = System.nanoTime();
      for (int turn = 1; came == before && !isLost(turn, begin); turn++) {
        while (channel.read(buffer.clear()) > 0) {
          came++;
        }
        if (came == before) {
          idle();
        }
      }
      long now = System.nanoTime();
      if (came == before) {
        sent = came;
      } else if (window == 1) {
        results.add(now - last);
      }
      last = now;
    }
    return came;
  }

  @Override
  public boolean waits() {
    return selector != null;
  }

  @Override
  public void close() {
    try {
      if (selector != null) {
        selector.close();
      }
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
