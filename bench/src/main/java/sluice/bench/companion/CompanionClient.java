package sluice.bench.companion;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/// Sends messages at random times that do not depend on replies, and measures how long the replies
/// to fast ones take. One thread sends, one receives; the main thread starts and asks.
final class CompanionClient implements AutoCloseable {
  private static final int CONNECTIONS = 16;

  private final List<SocketChannel> fast = new ArrayList<>();
  private final List<SocketChannel> application = new ArrayList<>();
  private final Selector selector = Selector.open();
  private final Thread sender;
  private final Thread receiver;
  private volatile boolean stopping;
  private volatile boolean measuring;

  /// Nanoseconds of each fast reply in the window.
  private final long[] latencies = new long[1 << 20];

  private volatile int count;
  private volatile long replies;

  /// @param fastRate fast messages a second
  /// @param applicationRate messages a second for the application
  CompanionClient(int port, double fastRate, double applicationRate) throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      fast.add(connect(port));
      application.add(connect(port));
    }
    sender = Thread.ofPlatform().name("sender").start(() -> send(fastRate, applicationRate));
    receiver = Thread.ofPlatform().name("receiver").start(this::receive);
  }

  private SocketChannel connect(int port) throws IOException {
    SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(4096));
    return channel;
  }

  private void send(double fastRate, double applicationRate) {
    Random random = new Random(42);
    ByteBuffer message = ByteBuffer.allocateDirect(CompanionServer.MESSAGE_BYTES);
    long nextFast = System.nanoTime();
    long nextApplication = nextFast;
    try {
      for (int i = 0; !stopping; i++) {
        boolean isFast = nextFast - nextApplication <= 0;
        long at = isFast ? nextFast : nextApplication;
        long now = System.nanoTime();
        while (now - at < 0) {
          LockSupport.parkNanos(at - now);
          now = System.nanoTime();
        }
        message.clear();
        message.putLong(0, now).put(CompanionServer.KIND, (byte) (isFast ? 0 : 1));
        (isFast ? fast : application).get(i % CONNECTIONS).write(message);
        long gap = (long) (-Math.log(1 - random.nextDouble()) * 1e9 / fastRate);
        if (isFast) {
          nextFast += gap;
        } else {
          nextApplication += (long) (gap * fastRate / applicationRate);
        }
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void receive() {
    try {
      while (!stopping) {
        selector.select(this::read);
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    if (!stopping) {
      throw new IllegalStateException("the client lost its server", e);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // the receiver is the only writer
  private void read(SelectionKey key) {
    ByteBuffer buffer = (ByteBuffer) key.attachment();
    try {
      if (((SocketChannel) key.channel()).read(buffer) < 0) {
        throw new IOException("end of stream");
      }
    } catch (IOException e) {
      failed(e);
      key.cancel();
      return;
    }
    long now = System.nanoTime();
    buffer.flip();
    while (buffer.remaining() >= CompanionServer.MESSAGE_BYTES) {
      int at = buffer.position();
      replies++;
      if (measuring && buffer.get(at + CompanionServer.KIND) == 0 && count < latencies.length) {
        latencies[count] = now - buffer.getLong(at);
        count++;
      }
      buffer.position(at + CompanionServer.MESSAGE_BYTES);
    }
    buffer.compact();
  }

  /// Opens the window.
  void measure() {
    count = 0;
    measuring = true;
  }

  /// Replies of both kinds so far.
  long replies() {
    return replies;
  }

  /// Closes the window.
  ///
  /// @return latencies of fast messages in nanoseconds, sorted
  long[] sorted() {
    measuring = false;
    long[] found = Arrays.copyOf(latencies, count);
    Arrays.sort(found);
    return found;
  }

  @Override
  public void close() throws IOException {
    stopping = true;
    selector.wakeup();
    try {
      sender.join();
      receiver.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (SocketChannel channel : fast) {
      channel.close();
    }
    for (SocketChannel channel : application) {
      channel.close();
    }
    selector.close();
  }
}
