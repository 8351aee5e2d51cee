package sluice.bench.companion;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// A selector, which any thread may turn, and three ways to share it. The holder of `turning`
/// selects; the application's thread works and writes its replies itself.
final class CompanionSelectorServer extends CompanionServer {
  /// Which threads select.
  enum Who {
    /// The application's thread, between its work.
    OWNER,
    /// A thread of its own.
    COMPANION,
    /// The application's thread; when it has been away for too long, the companion, until it is
    /// back.
    HAND_OVER
  }

  private static final long AWAY_NANOS = 100_000;

  /// A message for the application, and where its reply goes.
  private static final class Request {
    final SocketChannel channel;
    final byte[] message;

    Request(SocketChannel channel, byte[] message) {
      this.channel = channel;
      this.message = message;
    }
  }

  private final Who who;
  private final int port;
  private final Selector selector;
  private final ReentrantLock turning = new ReentrantLock();
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private volatile boolean away;
  private volatile Thread companion = Thread.currentThread();
  private volatile Thread application = Thread.currentThread();

  CompanionSelectorServer(Who who, long workNanos) throws IOException, InterruptedException {
    super(workNanos);
    this.who = who;
    this.selector = Selector.open();
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    this.port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    if (who != Who.OWNER) {
      start(
          "companion",
          ready -> {
            companion = Thread.currentThread();
            ready.complete(0);
            if (who == Who.COMPANION) {
              turnAlways();
            } else {
              turnWhileAway();
            }
          });
    }
    start(
        "application",
        ready -> {
          application = Thread.currentThread();
          ready.complete(0);
          if (who == Who.COMPANION) {
            answerAlways();
          } else {
            turnBetweenWork();
          }
        });
  }

  private void turnAlways() throws IOException {
    while (!stopping) {
      turn();
      if (!requests.isEmpty()) {
        LockSupport.unpark(application);
      }
    }
  }

  private void answerAlways() throws IOException {
    while (!stopping) {
      if (requests.isEmpty()) {
        LockSupport.park(this);
      }
      answerAll();
    }
  }

  private void turnBetweenWork() throws IOException {
    while (!stopping) {
      if (!turning.tryLock()) {
        selector.wakeup();
        turning.lock();
      }
      try {
        if (requests.isEmpty()) {
          turn();
        }
      } finally {
        turning.unlock();
      }
      if (!requests.isEmpty()) {
        if (who == Who.HAND_OVER) {
          away = true;
          LockSupport.unpark(companion);
        }
        answerAll();
        away = false;
      }
    }
  }

  private void turnWhileAway() throws IOException {
    while (!stopping) {
      if (!away) {
        LockSupport.park(this);
      }
      LockSupport.parkNanos(this, AWAY_NANOS);
      if (away) {
        turning.lock();
        try {
          while (away && !stopping) {
            turn();
          }
        } finally {
          turning.unlock();
        }
      }
    }
  }

  private void answerAll() throws IOException {
    Request request = requests.poll();
    while (request != null) {
      work();
      request.channel.write(ByteBuffer.wrap(request.message));
      request = requests.poll();
    }
  }

  private void turn() throws IOException {
    selector.select(this::ready);
  }

  private void ready(SelectionKey key) {
    try {
      if (key.channel() instanceof ServerSocketChannel listener) {
        SocketChannel accepted = listener.accept();
        accepted.configureBlocking(false);
        accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
        accepted.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(4096));
      } else if (key.channel() instanceof SocketChannel channel
          && key.attachment() instanceof ByteBuffer buffer) {
        read(key, channel, buffer);
      }
    } catch (IOException e) {
      key.cancel();
    }
  }

  private void read(SelectionKey key, SocketChannel channel, ByteBuffer buffer) throws IOException {
    if (channel.read(buffer) < 0) {
      key.cancel();
      channel.close();
      return;
    }
    buffer.flip();
    while (buffer.remaining() >= MESSAGE_BYTES) {
      int at = buffer.position();
      if (buffer.get(at + KIND) != 0) {
        byte[] message = new byte[MESSAGE_BYTES];
        buffer.get(message);
        requests.add(new Request(channel, message));
      } else {
        int limit = buffer.limit();
        buffer.limit(at + MESSAGE_BYTES);
        channel.write(buffer);
        buffer.limit(limit);
      }
    }
    buffer.compact();
  }

  @Override
  int port() {
    return port;
  }

  @Override
  void wakeAll() {
    selector.wakeup();
    LockSupport.unpark(companion);
    LockSupport.unpark(application);
  }
}
