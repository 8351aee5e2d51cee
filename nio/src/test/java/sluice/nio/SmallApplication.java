package sluice.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import sluice.testbase.Await;

/// An HTTP server of one selecting thread that knows no files: a reply names the path of its
/// request and what came as its body. `/slow…` takes 20 ms, `/close…` closes afterwards,
/// `/chunked…` replies in chunks.
final class SmallApplication implements AutoCloseable {
  private static final int SLOW_MILLIS = 20;

  final AtomicInteger accepted = new AtomicInteger();
  final AtomicInteger ended = new AtomicInteger();
  final AtomicInteger reset = new AtomicInteger();

  /// What has come on connections that have ended, by the client's address.
  final Map<SocketAddress, Transcript> transcripts = new ConcurrentHashMap<>();

  /// @param bytes all that the application has read
  /// @param reset whether the connection ended by an error
  record Transcript(String bytes, boolean reset) {}

  private final Selector selector;
  private final ServerSocketChannel server;
  private final Thread thread;

  SmallApplication(SelectorProvider provider) throws IOException {
    selector = provider.openSelector();
    server = provider.openServerSocketChannel();
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    thread = Thread.ofPlatform().name("application").start(this::run);
  }

  int port() throws IOException {
    return ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  private void run() {
    try {
      while (selector.isOpen()) {
        selector.select(this::ready);
      }
    } catch (IOException | java.nio.channels.ClosedSelectorException closed) {
      // by close()
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel channel = server.accept();
        if (channel != null) {
          accepted.incrementAndGet();
          channel.configureBlocking(false);
          channel.register(selector, SelectionKey.OP_READ, new Conversation(channel));
        }
      } else if (key.attachment() instanceof Conversation conversation) {
        conversation.read();
      }
    } catch (IOException gone) {
      reset.incrementAndGet();
      if (key.attachment() instanceof Conversation conversation) {
        conversation.over(true);
      }
      key.cancel();
      try {
        key.channel().close();
      } catch (IOException ignored) {
        // it is closed
      }
    }
  }

  private final class Conversation {
    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(8192);
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder all = new StringBuilder();
    private final SocketAddress client;

    Conversation(SocketChannel channel) throws IOException {
      this.channel = channel;
      this.client = channel.getRemoteAddress();
    }

    void over(boolean byError) {
      transcripts.put(client, new Transcript(all.toString(), byError));
    }

    void read() throws IOException {
      buffer.clear();
      int n = channel.read(buffer);
      if (n < 0) {
        ended.incrementAndGet();
        over(false);
        channel.close();
        return;
      }
      String came = new String(buffer.array(), 0, n, StandardCharsets.ISO_8859_1);
      all.append(came);
      text.append(came);
      boolean more = true;
      while (more && channel.isOpen()) {
        more = answerOne();
      }
    }

    private boolean answerOne() throws IOException {
      int head = text.indexOf("\r\n\r\n");
      if (head < 0) {
        return false;
      }
      int length = 0;
      int field = text.indexOf("Content-Length: ");
      if (field >= 0 && field < head) {
        int from = field + "Content-Length: ".length();
        length = Integer.parseInt(text.substring(from, text.indexOf("\r\n", from)));
      }
      int end = head + 4 + length;
      if (text.length() < end) {
        return false;
      }
      String[] words = text.substring(0, text.indexOf("\r\n")).split(" ", -1);
      String path = words[1];
      CRC32 sum = new CRC32();
      sum.update(text.substring(head + 4, end).getBytes(StandardCharsets.ISO_8859_1));
      text.delete(0, end);
      if (path.startsWith("/slow")) {
        pause();
      }
      reply(words[0].equals("HEAD"), path, path + "#" + length + "#" + sum.getValue());
      if (path.startsWith("/close")) {
        channel.close();
      }
      return true;
    }

    private void reply(boolean head, String path, String body) throws IOException {
      String close = path.startsWith("/close") ? "Connection: close\r\n" : "";
      if (path.startsWith("/chunked")) {
        write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + close + "\r\n");
        for (int i = 0; i < body.length(); i += 3) {
          String piece = body.substring(i, Math.min(body.length(), i + 3));
          write(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
        }
        write("0\r\n\r\n");
      } else {
        String length = "Content-Length: " + body.length() + "\r\n";
        write("HTTP/1.1 200 OK\r\n" + length + close + "\r\n" + (head ? "" : body));
      }
    }

    private void write(String reply) throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(reply.getBytes(StandardCharsets.ISO_8859_1));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    private static void pause() {
      try {
        Thread.sleep(SLOW_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    selector.close();
    try {
      Await.end(thread);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
