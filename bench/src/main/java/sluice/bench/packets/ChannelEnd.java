package sluice.bench.packets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.BooleanSupplier;

/// An end on the JDK's `DatagramChannel`, without blocking. Used by one thread.
final class ChannelEnd implements PacketEnd {
  private static final String SERVER = "10.11.0.1";
  private static final String CLIENT = "10.11.0.2";
  private static final long LOST_NANOS = 200_000_000L;

  private final DatagramChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);

  private ChannelEnd(DatagramChannel channel) {
    this.channel = channel;
  }

  static ChannelEnd open(boolean client) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.bind(new InetSocketAddress(client ? CLIENT : SERVER, PORT));
    if (client) {
      channel.connect(new InetSocketAddress(SERVER, PORT));
    }
    channel.configureBlocking(false);
    return new ChannelEnd(channel);
  }

  @Override
  public void echo(BooleanSupplier ended) throws IOException {
    while (!ended.getAsBoolean()) {
      SocketAddress from = channel.receive(buffer.clear());
      if (from != null) {
        int _ = channel.send(buffer.flip(), from);
      }
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
      while (came == before && System.nanoTime() - begin < LOST_NANOS) {
        while (channel.read(buffer.clear()) > 0) {
          came++;
        }
      }
      if (came == before) {
        sent = came;
      } else if (window == 1) {
        results.add(System.nanoTime() - last);
      }
      last = System.nanoTime();
    }
    return came;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
