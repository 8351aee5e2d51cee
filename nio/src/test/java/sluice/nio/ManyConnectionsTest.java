package sluice.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import sluice.testbase.Await;

/// A small echo server in the usual style, under load.
class ManyConnectionsTest extends Scenario {
  private static final int CONNECTIONS = 1500;

  @Test
  void everyOneOfManyIsServed() throws Exception {
    ServerSocketChannel server = server().bind(loopback(0), 1024);
    Echo echo = new Echo(selector(), server);
    Task<Boolean> serving = Task.start(echo);
    SocketChannel[] clients = new SocketChannel[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      clients[i] = socket();
      clients[i].connect(server.getLocalAddress());
    }
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < CONNECTIONS; i++) {
        writeFully(clients[i], text("client " + (10_000 + i)));
      }
      for (int i = 0; i < CONNECTIONS; i++) {
        assertThat(text(readFully(clients[i], 12))).isEqualTo("client " + (10_000 + i));
      }
    }
    for (int i = 0; i < CONNECTIONS; i++) {
      clients[i].close();
    }
    Await.until("the end of all connections", () -> echo.open() == 0);
    echo.stop();
    assertThat(serving.join()).isTrue();
  }

  @Test
  void streamsOfAllSizesComeBackUnchanged() throws Exception {
    ServerSocketChannel server = listening();
    Echo echo = new Echo(selector(), server);
    Task<Boolean> serving = Task.start(echo);
    long seed = Long.getLong("sluice.seed", 1);
    List<Task<Boolean>> tasks = new ArrayList<>();
    for (int c = 0; c < 8; c++) {
      Random random = new Random(seed + c);
      SocketChannel client = socket();
      client.connect(server.getLocalAddress());
      byte[] bytes = new byte[300_000 + random.nextInt(100_000)];
      random.nextBytes(bytes);
      tasks.add(
          Task.start(() -> {
            ByteBuffer out = ByteBuffer.wrap(bytes);
            while (out.hasRemaining()) {
              int size = Math.min(1 + random.nextInt(20_000), out.remaining());
              writeFully(client, out.slice(out.position(), size));
              out.position(out.position() + size);
            }
            client.shutdownOutput();
            return true;
          }));
      tasks.add(
          Task.start(() -> {
            byte[] received = readFully(client, bytes.length + 1);
            assertThat(received).as("seed %s", seed).isEqualTo(bytes);
            return true;
          }));
    }
    for (Task<Boolean> task : tasks) {
      assertThat(task.join()).isTrue();
    }
    echo.stop();
    assertThat(serving.join()).isTrue();
  }

  /// Turned by one thread; stopped and asked by the test's.
  private final class Echo implements java.util.concurrent.Callable<Boolean> {
    private final Selector selector;
    private final ServerSocketChannel server;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile int open;

    Echo(Selector selector, ServerSocketChannel server) throws IOException {
      this.selector = selector;
      this.server = server;
      register(server, selector, OP_ACCEPT);
    }

    int open() {
      return open;
    }

    void stop() {
      stopped.set(true);
      selector.wakeup();
    }

    @Override
    public Boolean call() throws IOException {
      while (!stopped.get()) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          if (key.isAcceptable()) {
            accept();
          } else {
            echo(key);
          }
        }
        selector.selectedKeys().clear();
        open = selector.keys().size() - 1 - cancelled();
      }
      return true;
    }

    private int cancelled() {
      int count = 0;
      for (SelectionKey key : selector.keys()) {
        count += key.isValid() ? 0 : 1;
      }
      return count;
    }

    private void accept() throws IOException {
      SocketChannel channel = server.accept();
      if (channel != null) {
        closing(channel).configureBlocking(false);
        channel.register(selector, OP_READ, ByteBuffer.allocate(8192));
      }
    }

    private void echo(SelectionKey key) throws IOException {
      SocketChannel channel = (SocketChannel) key.channel();
      ByteBuffer buffer = (ByteBuffer) key.attachment();
      if (key.isReadable() && channel.read(buffer) < 0 && buffer.position() == 0) {
        channel.close();
        return;
      }
      channel.write(buffer.flip());
      buffer.compact();
      int ops = buffer.hasRemaining() ? OP_READ : 0;
      key.interestOps(buffer.position() > 0 ? ops | OP_WRITE : ops);
    }
  }
}
