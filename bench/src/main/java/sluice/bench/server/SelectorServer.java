package sluice.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A server for echo or HTTP keep-alive on the selector provider that the JVM was started with: the
/// same code for each system of the selector bench. One thread selects; unless interest is kept, a
/// second one serves, as in servers that hand requests to workers. A connection belongs to one of
/// them at a time, and passes through a queue in between.
public final class SelectorServer {
  /// The treatment of a connection's interest while a request is served.
  enum Interest {
    /// Unchanged: the selecting thread serves it.
    KEPT,
    /// Set to 0 and back, as Tomcat does.
    SWITCHED,
    /// The key is cancelled and the channel registered again, as jdk.httpserver does.
    CANCELLED
  }

  private static final int BUFFER_BYTES = 64 << 10;
  private static final int REPLY_COPIES = 16;

  private final Interest interest;
  private final Selector selector;
  private final ServerSocketChannel listener;
  private final byte[] reply;
  private final BlockingQueue<Connection> toServe = new LinkedBlockingQueue<>();
  private final Queue<Connection> served = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private boolean cancelled;

  private SelectorServer(int port, Interest interest, byte[] reply) throws IOException {
    this.interest = interest;
    this.reply = reply;
    selector = Selector.open();
    listener = ServerSocketChannel.open();
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 4096);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
  }

  /// Runs the server. Arguments: `PORT echo|http BYTES kept|switched|cancelled`.
  public static void main(String[] args) throws IOException {
    SelectorCheck.require();
    Interest interest = Interest.valueOf(args[3].toUpperCase(java.util.Locale.ROOT));
    byte[] reply = args[1].equals("http") ? reply(Integer.parseInt(args[2])) : new byte[0];
    SelectorServer server = new SelectorServer(Integer.parseInt(args[0]), interest, reply);
    if (interest != Interest.KEPT) {
      Thread.ofPlatform().daemon().name("worker").start(server::work);
    }
    server.run();
  }

  /// Returns the body of every HTTP reply.
  public static byte[] body(int bytes) {
    byte[] body = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      body[i] = (byte) ('a' + i * 7 % 26);
    }
    return body;
  }

  private static byte[] reply(int bytes) {
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes + "\r\n\r\n";
    byte[] reply = new byte[head.length() + bytes];
    System.arraycopy(head.getBytes(US_ASCII), 0, reply, 0, head.length());
    System.arraycopy(body(bytes), 0, reply, head.length(), bytes);
    return reply;
  }

  // ---- the selecting thread -----------------------------------------------------------------

  private void run() throws IOException {
    Buffers buffers = new Buffers(reply);
    while (true) {
      if (served.isEmpty()) {
        selector.select();
      } else {
        selector.selectNow();
      }
      takeBack();
      Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
      while (ready.hasNext()) {
        SelectionKey key = ready.next();
        ready.remove();
        if (key.isValid()) {
          ready(key, buffers);
        }
      }
      if (cancelled) {
        cancelled = false;
        selector.selectNow(); // deregisters cancelled keys, so that channels can register again
      }
    }
  }

  private void ready(SelectionKey key, Buffers buffers) throws IOException {
    if (!(key.attachment() instanceof Connection connection)) {
      accept();
      return;
    }
    switch (interest) {
      case KEPT -> {
        connection.serve(buffers);
        if (connection.next != key.interestOps()) {
          resume(connection);
        }
      }
      case SWITCHED -> {
        key.interestOps(0);
        toServe.add(connection);
      }
      case CANCELLED -> {
        key.cancel();
        cancelled = true;
        toServe.add(connection);
      }
    }
  }

  private void accept() throws IOException {
    for (SocketChannel c = listener.accept(); c != null; c = listener.accept()) {
      c.configureBlocking(false);
      c.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Connection connection = new Connection(c);
      connection.key = c.register(selector, SelectionKey.OP_READ, connection);
    }
  }

  private void takeBack() throws IOException {
    woken.set(false);
    for (Connection c = served.poll(); c != null; c = served.poll()) {
      resume(c);
    }
  }

  /// Sets the interest of the connection, or closes it.
  private void resume(Connection c) throws IOException {
    if (c.next == Connection.CLOSED) {
      c.channel.close();
    } else if (interest == Interest.CANCELLED) {
      c.key = c.channel.register(selector, c.next, c);
    } else if (c.key != null) {
      c.key.interestOps(c.next);
    }
  }

  // ---- the worker ---------------------------------------------------------------------------

  private void work() {
    Buffers buffers = new Buffers(reply);
    while (true) {
      Connection c;
      try {
        c = toServe.take();
      } catch (InterruptedException e) {
        return;
      }
      c.serve(buffers);
      served.add(c);
      if (woken.compareAndSet(false, true)) {
        selector.wakeup();
      }
    }
  }

  /// The buffers of a serving thread.
  private static final class Buffers {
    final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER_BYTES);
    final ByteBuffer replies;
    final int replyBytes;

    Buffers(byte[] reply) {
      replyBytes = reply.length;
      replies = ByteBuffer.allocateDirect(reply.length * REPLY_COPIES);
      for (int i = 0; i < REPLY_COPIES; i++) {
        replies.put(reply);
      }
    }
  }

  /// A connection and the bytes it still has to send.
  private static final class Connection {
    static final int CLOSED = -1;

    final SocketChannel channel;
    private final RequestScan scan = new RequestScan();
    @Nullable SelectionKey key;
    private @Nullable ByteBuffer rest;
    private int owed;
    private int replySent;

    /// The interest it has after [#serve], or [#CLOSED].
    int next = SelectionKey.OP_READ;

    Connection(SocketChannel channel) {
      this.channel = channel;
    }

    /// Reads once and answers, or continues sending the rest.
    void serve(Buffers buffers) {
      try {
        if (unfinished()) {
          send(buffers);
        } else if (!receive(buffers)) {
          next = CLOSED;
          return;
        }
        next = unfinished() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
      } catch (IOException e) {
        next = CLOSED; // resets are ordinary: the load generator ends its connections that way
      }
    }

    private boolean unfinished() {
      return owed > 0 || rest != null;
    }

    /// Returns true if the connection is still open.
    private boolean receive(Buffers buffers) throws IOException {
      ByteBuffer input = buffers.input.clear();
      int n = channel.read(input);
      if (n < 0) {
        return false;
      }
      if (buffers.replyBytes > 0) {
        for (int i = 0; i < n; i++) {
          if (scan.take(input.get(i))) {
            owed++;
          }
        }
        send(buffers);
        return true;
      }
      channel.write(input.flip());
      if (input.hasRemaining()) {
        rest = ByteBuffer.allocateDirect(input.remaining()).put(input).flip();
      }
      return true;
    }

    private void send(Buffers buffers) throws IOException {
      ByteBuffer left = rest;
      if (left != null) {
        channel.write(left);
        rest = left.hasRemaining() ? left : null;
      }
      while (owed > 0) {
        int count = Math.min(owed, REPLY_COPIES);
        ByteBuffer replies = buffers.replies.clear();
        replies.limit(count * buffers.replyBytes).position(replySent);
        channel.write(replies);
        owed -= replies.position() / buffers.replyBytes;
        replySent = replies.position() % buffers.replyBytes;
        if (replies.hasRemaining()) {
          return;
        }
      }
    }
  }
}
