package sluice.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The JDK NIO peer: one thread, one selector, direct buffers, echo or a prepared HTTP reply. With
/// `-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.PollSelectorProvider` it is the poll peer.
final class JdkServer {
  private static final int RECEIVE_BYTES = 64 << 10;
  private static final int REPLY_COPIES = 64;

  private final Selector selector;
  private final ServerSocketChannel listener;
  private final @Nullable CannedReply reply;
  private final ByteBuffer input = ByteBuffer.allocateDirect(RECEIVE_BYTES);
  private ByteBuffer replies = ByteBuffer.allocateDirect(0);
  private int replyBytes;
  private long replySecond;

  /// The bytes that a connection still has to send. Null fields cost nothing while the socket keeps
  /// up.
  private static final class Connection {
    final RequestScan scan = new RequestScan();
    int owed;
    int replySent;
    @Nullable ByteBuffer rest;
  }

  private JdkServer(int port, @Nullable CannedReply reply) throws IOException {
    this.reply = reply;
    selector = Selector.open();
    listener = ServerSocketChannel.open();
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 4096);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
  }

  /// Runs the server. Arguments: `PORT echo` or `PORT http FILE`.
  public static void main(String[] args) throws IOException {
    CannedReply reply = args[1].equals("http") ? CannedReply.of(Path.of(args[2])) : null;
    JdkServer server = new JdkServer(Integer.parseInt(args[0]), reply);
    while (true) {
      server.selector.select(server::ready);
      server.refreshReplies();
    }
  }

  private void refreshReplies() {
    long second = System.currentTimeMillis() / 1000;
    if (reply == null || second == replySecond) {
      return;
    }
    replySecond = second;
    byte[] bytes = reply.bytes(Instant.ofEpochSecond(second));
    replyBytes = bytes.length;
    replies = ByteBuffer.allocateDirect(bytes.length * REPLY_COPIES);
    for (int i = 0; i < REPLY_COPIES; i++) {
      replies.put(bytes);
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        accept();
        return;
      }
      Connection connection = (Connection) key.attachment();
      if (key.isWritable()) {
        writable(key, connection);
      } else if (!readable(key, connection)) {
        key.channel().close();
      }
    } catch (IOException e) {
      // Resets are ordinary: the load generator ends its connections that way.
      try {
        key.channel().close();
      } catch (IOException ignored) {
        key.cancel();
      }
    }
  }

  private void accept() throws IOException {
    SocketChannel channel = listener.accept();
    while (channel != null) {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.register(selector, SelectionKey.OP_READ, new Connection());
      channel = listener.accept();
    }
  }

  private boolean readable(SelectionKey key, Connection connection) throws IOException {
    input.clear();
    int n = ((SocketChannel) key.channel()).read(input);
    if (n < 0) {
      return false;
    }
    input.flip();
    if (reply != null) {
      for (int i = 0; i < n; i++) {
        if (connection.scan.take(input.get(i))) {
          connection.owed++;
        }
      }
      pump(key, connection);
    } else {
      echo(key, connection);
    }
    return true;
  }

  private void echo(SelectionKey key, Connection connection) throws IOException {
    ((SocketChannel) key.channel()).write(input);
    if (input.hasRemaining()) {
      connection.rest = ByteBuffer.allocateDirect(input.remaining()).put(input).flip();
      key.interestOps(SelectionKey.OP_WRITE);
    }
  }

  private void pump(SelectionKey key, Connection connection) throws IOException {
    while (connection.owed > 0) {
      int count = Math.min(connection.owed, REPLY_COPIES);
      replies.limit(count * replyBytes).position(connection.replySent);
      ((SocketChannel) key.channel()).write(replies);
      connection.owed -= replies.position() / replyBytes;
      connection.replySent = replies.position() % replyBytes;
      if (replies.hasRemaining()) {
        key.interestOps(SelectionKey.OP_WRITE);
        return;
      }
    }
  }

  private void writable(SelectionKey key, Connection connection) throws IOException {
    key.interestOps(SelectionKey.OP_READ);
    ByteBuffer rest = connection.rest;
    if (reply != null) {
      pump(key, connection);
    } else if (rest != null) {
      ((SocketChannel) key.channel()).write(rest);
      if (rest.hasRemaining()) {
        key.interestOps(SelectionKey.OP_WRITE);
      } else {
        connection.rest = null;
      }
    }
  }
}
