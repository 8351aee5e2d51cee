package sluice.nio.channels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.poller.DescriptorChannel;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;
import sluice.nio.descriptors.SluiceChannel;
import sluice.sys.SysException;

/// Our channels as plain sockets, without a selector. Threads of a test end with it.
@Timeout(120)
class OwnChannelsTest {
  private final SluiceSelectorProvider provider = CompletionProviders.usual();

  private ServerSocketChannel listen() throws Exception {
    ServerSocketChannel server = provider.openServerSocketChannel();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  private static SocketAddress address(ServerSocketChannel server) throws Exception {
    return Objects.requireNonNull(server.getLocalAddress());
  }

  private SocketChannel connect(ServerSocketChannel server) throws Exception {
    SocketChannel client = provider.openSocketChannel();
    client.connect(address(server));
    return client;
  }

  @Test
  void platformAndVirtualThreadsTalk() throws Exception {
    try (ServerSocketChannel server = listen()) {
      int clients = 20;
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        ends.add(run(true, () -> echo(server.accept())));
        ends.add(run(i % 2 == 0, () -> talk(connect(server))));
      }
      for (CompletableFuture<Void> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static void echo(SocketChannel channel) throws Exception {
    try (channel) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(1000);
      while (channel.read(buffer) >= 0) {
        channel.write(buffer.flip());
        buffer.clear();
      }
    }
  }

  private static void talk(SocketChannel channel) throws Exception {
    try (channel) {
      ByteBuffer[] parts = {ByteBuffer.allocate(70_000), ByteBuffer.allocateDirect(30_000)};
      for (int i = 0; i < 100_000; i++) {
        parts[i / 70_000].put((byte) i);
      }
      parts[0].flip();
      parts[1].flip();
      CompletableFuture<Void> writing =
          run(
              true,
              () -> {
                assertThat(channel.write(parts)).isEqualTo(100_000);
                channel.shutdownOutput();
              });
      ByteBuffer back = ByteBuffer.allocate(100_001);
      while (channel.read(back) >= 0) {}
      writing.get(60, TimeUnit.SECONDS);
      assertThat(back.position()).isEqualTo(100_000);
      for (int i = 0; i < 100_000; i++) {
        assertThat(back.get(i)).isEqualTo((byte) i);
      }
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private static CompletableFuture<Void> run(boolean virtual, Body body) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Runnable task =
        () -> {
          try {
            body.run();
            end.complete(null);
          } catch (Throwable problem) {
            end.completeExceptionally(problem);
          }
        };
    if (virtual) {
      Thread.ofVirtual().start(task);
    } else {
      Thread.ofPlatform().daemon().start(task);
    }
    return end;
  }

  @Test
  void closingAndInterruptingEndABlockedRead() throws Exception {
    try (ServerSocketChannel server = listen()) {
      for (boolean virtual : new boolean[] {false, true}) {
        SocketChannel closed = connect(server);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> end =
            run(
                virtual,
                () -> {
                  begun.countDown();
                  assertThatThrownBy(() -> closed.read(ByteBuffer.allocate(1)))
                      .isInstanceOfAny(
                          AsynchronousCloseException.class,
                          java.nio.channels.ClosedChannelException.class);
                });
        begun.await();
        closed.close();
        end.get(60, TimeUnit.SECONDS);

        SocketChannel interrupted = connect(server);
        Thread[] reader = new Thread[1];
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Void> second =
            run(
                virtual,
                () -> {
                  reader[0] = Thread.currentThread();
                  started.countDown();
                  assertThatThrownBy(() -> interrupted.read(ByteBuffer.allocate(1)))
                      .isInstanceOf(ClosedByInterruptException.class);
                });
        started.await();
        reader[0].interrupt();
        second.get(60, TimeUnit.SECONDS);
        assertThat(interrupted.isOpen()).isFalse();
      }
    }
  }

  @Test
  void theAdaptorTimesOut() throws Exception {
    try (ServerSocketChannel server = listen();
        SocketChannel client = connect(server)) {
      client.socket().setSoTimeout(20);
      assertThatThrownBy(() -> client.socket().getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      server.socket().setSoTimeout(20);
      server.accept().close();
      assertThatThrownBy(() -> server.socket().accept()).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void datagramsPipesAndUnixSockets() throws Exception {
    try (DatagramChannel a = provider.openDatagramChannel();
        DatagramChannel b = provider.openDatagramChannel()) {
      a.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketAddress to = Objects.requireNonNull(a.getLocalAddress());
      b.send(ByteBuffer.wrap("truncated".getBytes(UTF_8)), to);
      ByteBuffer room = ByteBuffer.allocate(5);
      assertThat(a.receive(room)).isNotNull();
      assertThat(new String(room.array(), UTF_8)).isEqualTo("trunc");
      b.connect(to);
      assertThat(b.write(ByteBuffer.allocate(3))).isEqualTo(3);
      assertThat(a.receive(room.clear())).isEqualTo(b.getLocalAddress());
    }
    Pipe pipe = provider.openPipe();
    pipe.sink().write(ByteBuffer.wrap("abc".getBytes(UTF_8)));
    pipe.sink().close();
    ByteBuffer read = ByteBuffer.allocate(5);
    assertThat(pipe.source().read(read)).isEqualTo(3);
    assertThat(pipe.source().read(read)).isEqualTo(-1);
    pipe.source().close();
    try (ServerSocketChannel server =
        provider.openServerSocketChannel(StandardProtocolFamily.UNIX)) {
      server.bind(null);
      UnixDomainSocketAddress path = (UnixDomainSocketAddress) address(server);
      try (SocketChannel client = provider.openSocketChannel(StandardProtocolFamily.UNIX)) {
        client.connect(path);
        try (SocketChannel accepted = server.accept()) {
          accepted.write(ByteBuffer.wrap("unix".getBytes(UTF_8)));
          assertThat(client.read(ByteBuffer.allocate(9))).isEqualTo(4);
        }
      } finally {
        Files.delete(path.getPath());
      }
    }
  }

  /// By the descriptor that each channel tells, so without a flag of the JVM.
  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "POLL"})
  void aPollerWatchesOurChannels(Backend backend) throws Exception {
    try (ServerSocketChannel server = listen();
        SocketChannel client = connect(server);
        SocketChannel accepted = server.accept();
        Poller poller = Poller.open(10, backend)) {
      assertThat(accepted).isInstanceOf(DescriptorChannel.class);
      long handle = poller.add(accepted, Poller.IN);
      PollerEvents events = new PollerEvents(1);
      assertThat(poller.await(events, 1, 0)).isZero();
      client.write(ByteBuffer.allocate(1));
      assertThat(poller.await(events, 1, TimeUnit.SECONDS.toNanos(60))).isEqualTo(1);
      assertThat(events.handle(0)).isEqualTo(handle);
      poller.remove(handle);
      SocketChannel gone = provider.openSocketChannel();
      gone.close();
      assertThatThrownBy(() -> poller.add(gone, Poller.IN))
          .isInstanceOfSatisfying(
              SysException.class, e -> assertThat(e.errnoName()).isEqualTo("EBADF"));
    }
  }

  @Test
  void aChannelThatRegistersWhileTheSelectorClosesIsCountedOnce() throws Exception {
    try (DatagramChannel channel = provider.openDatagramChannel()) {
      channel.configureBlocking(false);
      for (int i = 0; i < 300; i++) {
        Selector selector = provider.openSelector();
        CompletableFuture<Void> closing = run(false, selector::close);
        for (int spin = 0; spin < i * 10; spin++) {
          Thread.onSpinWait();
        }
        try {
          channel.register(selector, 0);
        } catch (ClosedSelectorException closed) {
          // the other was first
        }
        closing.get(60, TimeUnit.SECONDS);
        assertThat(((SluiceChannel) channel).core().registrations).hasValue(0);
      }
    }
  }
}
