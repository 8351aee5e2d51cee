package sluice.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The virtual-thread peer: one virtual thread per connection, blocking channels. Each connection's
/// state belongs to its thread.
final class VirtualThreadServer {
  private static final int RECEIVE_BYTES = 16 << 10;

  /// The reply of the current second; replaced as a whole.
  private static volatile byte[] replyBytes = {};

  private VirtualThreadServer() {}

  /// Runs the server. Arguments: `PORT echo` or `PORT http FILE`.
  public static void main(String[] args) throws IOException {
    CannedReply reply = args[1].equals("http") ? CannedReply.of(Path.of(args[2])) : null;
    if (reply != null) {
      replyBytes = reply.bytes(Instant.now());
      Thread.ofPlatform().daemon().name("date").start(() -> keepDate(reply));
    }
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      InetAddress loopback = InetAddress.getLoopbackAddress();
      listener.bind(new InetSocketAddress(loopback, Integer.parseInt(args[0])), 4096);
      while (true) {
        SocketChannel channel = listener.accept();
        Thread.ofVirtual().start(() -> serve(channel, reply));
      }
    }
  }

  private static void keepDate(CannedReply reply) {
    while (true) {
      replyBytes = reply.bytes(Instant.now());
      try {
        Thread.sleep(1000);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void serve(SocketChannel channel, @Nullable CannedReply reply) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(RECEIVE_BYTES);
    try (channel) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (reply == null) {
        echo(channel, buffer);
      } else {
        answer(channel, buffer);
      }
    } catch (IOException ignored) {
      // Resets are ordinary: the load generator ends its connections that way.
    }
  }

  private static void echo(SocketChannel channel, ByteBuffer buffer) throws IOException {
    while (channel.read(buffer.clear()) >= 0) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  private static void answer(SocketChannel channel, ByteBuffer input) throws IOException {
    RequestScan scan = new RequestScan();
    ByteBuffer output = ByteBuffer.allocateDirect(64 << 10);
    while (channel.read(input.clear()) >= 0) {
      byte[] bytes = replyBytes;
      for (int i = 0; i < input.position(); i++) {
        if (scan.take(input.get(i))) {
          if (output.remaining() < bytes.length) {
            write(channel, output);
          }
          output.put(bytes);
        }
      }
      write(channel, output);
    }
  }

  private static void write(SocketChannel channel, ByteBuffer output) throws IOException {
    output.flip();
    while (output.hasRemaining()) {
      channel.write(output);
    }
    output.clear();
  }
}
