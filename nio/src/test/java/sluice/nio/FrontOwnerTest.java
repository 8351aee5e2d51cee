package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import sluice.nio.front.FrontMode;
import sluice.testbase.Await;

/// The same where the application's selecting thread turns the loop, and what concerns that thread.
class FrontOwnerTest extends FrontTest {
  @Override
  FrontMode mode() {
    return FrontMode.OWNER;
  }

  private static int port(ServerSocketChannel server) throws IOException {
    return ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  private ServerSocketChannel listen() throws IOException {
    ServerSocketChannel server = provider.openServerSocketChannel();
    return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /// Selects until the selector is closed, and closes it.
  private static Thread select(Selector selector, AtomicBoolean on) {
    return Thread.ofPlatform()
        .start(() -> {
          try (selector) {
            while (on.get()) {
              selector.select(10);
            }
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  @Test
  void aListeningChannelOutlivesTheSelectorThatHasAcceptedForIt() throws Exception {
    application.close(); // which would be asked too
    try (ServerSocketChannel server = listen()) {
      for (int round = 0; round < 3; round++) {
        AtomicBoolean on = new AtomicBoolean(true);
        Thread thread = select(provider.openSelector(), on);
        try (FrontClient client = new FrontClient(port(server))) {
          assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
          on.set(false);
          Await.end(thread);
          assertThat(client.in.read()).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void aPortIsFreeOnceTheChannelIsClosed() throws Exception {
    int port;
    try (ServerSocketChannel server = listen()) {
      port = port(server);
      try (FrontClient client = new FrontClient(port)) {
        assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      }
    }
    assertThatThrownBy(() -> new FrontClient(port)).isInstanceOf(ConnectException.class);
  }

  /// A ring takes nothing from another thread: its connections end with it all the same.
  @Test
  void anotherThreadClosesTheSelectorOfAThreadThatHasEnded() throws Exception {
    application.close(); // which would be asked too
    Selector selector = provider.openSelector();
    AtomicBoolean on = new AtomicBoolean(true);
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              while (on.get()) {
                try {
                  selector.select(10);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              }
            });
    try (ServerSocketChannel server = listen();
        FrontClient client = new FrontClient(port(server))) {
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      on.set(false);
      Await.end(thread);
      selector.close();
      assertThat(client.in.read()).isEqualTo(-1);
    }
  }

  /// A channel of the application's own that is no client of a front: epoll watches it.
  @Test
  void otherChannelsOfTheSelectorAreSelected() throws Exception {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Selector selector = provider.openSelector();
        ServerSocketChannel server = listen();
        ServerSocketChannel plain = ServerSocketChannel.open().bind(loopback);
        SocketChannel mine = provider.openSocketChannel()) {
      CompletableFuture<String> read = new CompletableFuture<>();
      Thread thread =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  mine.connect(plain.getLocalAddress());
                  mine.configureBlocking(false);
                  SelectionKey key = mine.register(selector, SelectionKey.OP_READ);
                  while (!key.isReadable()) {
                    selector.select();
                  }
                  ByteBuffer bytes = ByteBuffer.allocate(10);
                  mine.read(bytes);
                  read.complete(
                      new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII));
                } catch (IOException | RuntimeException e) {
                  read.completeExceptionally(e);
                }
              });
      try (SocketChannel accepted = plain.accept();
          FrontClient client = new FrontClient(port(server))) {
        for (int i = 0; i < 100; i++) {
          assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
        }
        accepted.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
        assertThat(read.get()).isEqualTo("hello");
      }
      Await.end(thread);
    }
  }

  @Test
  void aSecondThreadIsRefused() throws Exception {
    try (Selector selector = provider.openSelector()) {
      assertThat(selector.selectNow()).isZero();
      CompletableFuture<Integer> other =
          CompletableFuture.supplyAsync(() -> {
            try {
              return selector.selectNow();
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
      assertThatThrownBy(other::get).hasMessageContaining("Fix: -Dsluice.nio.front=companion");
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void aWakeUpEndsTheWaitOfATurn() throws Exception {
    try (Selector selector = provider.openSelector()) {
      selector.wakeup();
      assertThat(selector.select()).isZero();
      Thread waker =
          Thread.ofPlatform()
              .start(() -> {
                LockSupport.parkNanos(
                    20_000_000); // long enough for the wait to have begun, usually
                selector.wakeup();
              });
      assertThat(selector.select()).isZero();
      Await.end(waker);
    }
  }
}
