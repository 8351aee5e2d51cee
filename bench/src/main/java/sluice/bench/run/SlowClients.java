package sluice.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/// Clients that send a request head byte by byte and never finish it ("slow loris"): each sends a
/// byte every half second, and connects again when its server has closed the connection. One thread
/// serves all of them, at an even rate, so that they cost the machine little.
///
/// Lifecycle: all are connected and have sent a byte when [#start] returns; [#close] ends them.
final class SlowClients implements AutoCloseable {
  private static final long ROUND_NANOS = 500_000_000L;
  private static final byte[] HEAD =
      ("GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: " + "x".repeat(4000))
          .getBytes(StandardCharsets.US_ASCII);

  private final InetSocketAddress address;
  private final SocketChannel[] channels;
  private final int[] sent;
  private final ByteBuffer one = ByteBuffer.allocateDirect(1);
  private final ByteBuffer reply = ByteBuffer.allocateDirect(4096);
  private final Thread thread = new Thread(this::run, "slow clients");
  private volatile boolean closed;

  private SlowClients(int port, int count) throws IOException {
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    channels = new SocketChannel[count];
    sent = new int[count];
    try {
      for (int i = 0; i < count; i++) {
        channels[i] = connect();
      }
    } catch (IOException e) {
      closeChannels();
      throw e;
    }
  }

  /// Starts the clients.
  ///
  /// @param count 0 for none at all
  static SlowClients start(int port, int count) throws IOException {
    SlowClients clients = new SlowClients(port, count);
    if (count > 0) {
      clients.thread.setDaemon(true);
      clients.thread.start();
      // The server accepts and reads all of them before the window begins.
      LockSupport.parkNanos(2 * ROUND_NANOS);
    }
    return clients;
  }

  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(address);
    channel.configureBlocking(false);
    return channel;
  }

  private void run() {
    long gap = ROUND_NANOS / channels.length;
    long next = System.nanoTime();
    for (int i = 0; !closed; i = (i + 1) % channels.length) {
      drip(i);
      next += gap;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  /// Sends the next byte, on a new connection if the server has answered or closed the old one.
  private void drip(int i) {
    try {
      boolean over = sent[i] == HEAD.length || channels[i].read(reply.clear()) != 0;
      if (over) {
        channels[i].close();
        channels[i] = connect();
        sent[i] = 0;
      }
      one.clear().put(HEAD[sent[i]]).flip();
      sent[i] += channels[i].write(one);
    } catch (IOException e) {
      sent[i] = HEAD.length; // connects again in its next turn
    }
  }

  private void closeChannels() {
    for (SocketChannel channel : channels) {
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeChannels();
  }
}
