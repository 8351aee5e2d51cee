package sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import sluice.bench.server.SelectorCheck;

/// The work that `bench churn` measures: short-lived selectors and connections, beside idle
/// threads. In the case [#SELECTOR] the main thread works, otherwise a thread of its own serves and
/// the threads of [ChurnClient] send requests.
///
/// Arguments: the case and the number of idle threads. For each line `SECONDS` on standard input it
/// works for that time and prints `OPERATIONS CLIENT_NANOS`, the latter being the processor time of
/// its clients, which does not count as the server's.
final class ChurnWork {
  /// A selector is opened, used once and closed.
  static final String SELECTOR = "selector";

  /// A server with one selector; each connection is for one request.
  static final String CONNECTION = "connection";

  /// A server that opens a selector for each connection, which is for one request.
  static final String BOTH = "both";

  private ChurnWork() {}

  /// The work of a case.
  interface Work {
    /// Works until the deadline.
    ///
    /// @param deadline of `System.nanoTime()`
    /// @return the number of operations and the clients' processor time, ns
    long[] until(long deadline) throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    SelectorCheck.require();
    idle(Integer.parseInt(arguments[1]));
    Work work = arguments[0].equals(SELECTOR) ? selectors() : served(arguments[0].equals(BOTH));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      long nanos = (long) (Double.parseDouble(line) * TimeUnit.SECONDS.toNanos(1));
      long[] done = work.until(System.nanoTime() + nanos);
      System.out.println(done[0] + " " + done[1]);
    }
    System.exit(0); // the server's thread does not end by itself
  }

  private static void idle(int count) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(count);
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < count; i++) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            started.countDown();
            try {
              never.await();
            } catch (InterruptedException end) {
              Thread.currentThread().interrupt();
            }
          });
    }
    started.await();
  }

  private static Work selectors() throws IOException {
    Pipe pipe = Pipe.open();
    pipe.sink().configureBlocking(false);
    return deadline -> {
      long done = 0;
      while (System.nanoTime() < deadline) {
        try (Selector selector = Selector.open()) {
          SelectionKey _ = pipe.sink().register(selector, SelectionKey.OP_WRITE);
          if (selector.select() != 1) {
            throw new IllegalStateException("a pipe's empty sink is writable");
          }
        }
        done++;
      }
      return new long[] {done, 0};
    };
  }

  private static Work served(boolean freshSelectors) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
    Serving served = freshSelectors ? () -> acceptAndSelect(server) : () -> selectAndAccept(server);
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            served.run();
          } catch (IOException e) {
            System.out.println("the server failed: " + e);
            System.exit(1);
          }
        });
    return deadline -> ChurnClient.ask(address, deadline);
  }

  private interface Serving {
    void run() throws IOException;
  }

  private static void acceptAndSelect(ServerSocketChannel server) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(ChurnClient.BYTES);
    while (true) {
      try (SocketChannel channel = server.accept();
          Selector selector = Selector.open()) {
        channel.configureBlocking(false);
        SelectionKey _ = channel.register(selector, SelectionKey.OP_READ);
        do {
          int _ = selector.select();
          selector.selectedKeys().clear();
        } while (!answered(channel, buffer));
      }
    }
  }

  private static void selectAndAccept(ServerSocketChannel server) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(ChurnClient.BYTES);
    server.configureBlocking(false);
    Selector selector = Selector.open();
    SelectionKey listening = server.register(selector, SelectionKey.OP_ACCEPT);
    while (true) {
      int _ = selector.select();
      for (SelectionKey key : selector.selectedKeys()) {
        if (key == listening) {
          accept(server, selector);
        } else {
          SocketChannel channel = (SocketChannel) key.channel();
          if (answered(channel, buffer)) {
            channel.close();
          }
        }
      }
      selector.selectedKeys().clear();
    }
  }

  private static void accept(ServerSocketChannel server, Selector selector) throws IOException {
    SocketChannel channel = server.accept();
    while (channel != null) {
      channel.configureBlocking(false);
      SelectionKey _ = channel.register(selector, SelectionKey.OP_READ);
      channel = server.accept();
    }
  }

  /// Answers a request. Returns true if the connection is finished, also after a reset by its
  /// client.
  private static boolean answered(SocketChannel channel, ByteBuffer buffer) {
    try {
      buffer.clear();
      int got = channel.read(buffer);
      if (got == 0) {
        return false;
      }
      if (got > 0) {
        buffer.flip();
        int _ = channel.write(buffer);
      }
      return true;
    } catch (IOException reset) {
      return true;
    }
  }
}
