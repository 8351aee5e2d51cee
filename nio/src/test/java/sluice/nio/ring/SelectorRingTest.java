package sluice.nio.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.nio.channels.SluiceSocketChannel;
import sluice.sys.Sockets;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.Await;

/// What only a selector with a ring does. Each test's threads end with it.
@Timeout(300)
class SelectorRingTest extends RingTests {
  /// What 2000 requests may allocate by accident.
  private static final long MOST_BYTES = 4000;

  private record Link(SocketChannel near, Socket far) {}

  private Link link(ServerSocketChannel server) throws Exception {
    InetSocketAddress address =
        (InetSocketAddress) Objects.requireNonNull(server.getLocalAddress());
    Socket far = new Socket(address.getAddress(), address.getPort());
    far.setSoTimeout(TIMEOUT_MILLIS);
    SocketChannel near = server.accept();
    near.configureBlocking(false);
    open.add(far);
    open.add(near);
    return new Link(near, far);
  }

  private static byte[] pattern(int from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ((from + i) * 31 + ((from + i) >> 8));
    }
    return bytes;
  }

  private static void await(Selector selector) throws Exception {
    selector.selectedKeys().clear();
    selectUntil(selector, () -> !selector.selectedKeys().isEmpty());
    selector.selectedKeys().clear();
  }

  private static byte[] read(SocketChannel channel, int length) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    Await await = new Await();
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
      await.check("bytes");
    }
    return java.util.Arrays.copyOf(buffer.array(), buffer.position());
  }

  /// Fills the socket behind the channel's back, until it has taken nothing for a while.
  private static int fill(SocketChannel channel) throws Exception {
    int fd = ((SluiceSocketChannel) channel).core().fd();
    MemorySegment zeros = Arena.ofAuto().allocate(1000);
    int filled = 0;
    for (int quiet = 0; quiet < 20; quiet++) {
      int n = Sockets.send(fd, zeros, 0, 1000, Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL);
      if (n > 0) {
        filled += n;
        quiet = 0;
      } else {
        Thread.sleep(2);
      }
    }
    return filled;
  }

  /// The kernel hears of the end only when the peer has read.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aShutDownOutputIsWritableBehindStagedBytes(boolean leavesRing) throws Exception {
    Link link = link(listen());
    Selector selector = selector();
    SelectionKey key = link.near().register(selector, SelectionKey.OP_WRITE);
    await(selector);
    int sent = 0;
    boolean staged = false;
    for (int tries = 0; !staged; tries++) { // a kernel that is slow to acknowledge takes more later
      assertThat(tries).as("rounds in which the kernel took all").isLessThan(50);
      sent += fill(link.near());
      sent += link.near().write(ByteBuffer.allocate(100));
      staged = selector.select(20) == 0;
      selector.selectedKeys().clear();
    }
    if (leavesRing) {
      link.near().register(selector(), 0);
      selector.select(20);
      selector.selectedKeys().clear();
    }
    CompletableFuture<Void> shutdown =
        CompletableFuture.runAsync(() -> {
          try {
            link.near().shutdownOutput();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    await(selector);
    assertThat(key.isWritable()).isTrue();
    shutdown.get();
    assertThatThrownBy(() -> link.near().write(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(link.far().getInputStream().readAllBytes()).hasSize(sent);
  }

  @Test
  void bytesStayInOrderWhenAnotherThreadTakesTheSelectorOver() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    link.near().register(selector, SelectionKey.OP_READ);
    link.far().getOutputStream().write(pattern(0, 1000));
    await(selector); // received by the ring, and not read
    link.far().getOutputStream().write(pattern(1000, 1000)); // in the socket
    CompletableFuture<byte[]> other = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          try {
            await(selector);
            other.complete(read(link.near(), 1500));
          } catch (Throwable problem) {
            other.completeExceptionally(problem);
          }
        });
    assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo(pattern(0, 1500));
    link.far().getOutputStream().write(pattern(2000, 1000));
    assertThat(read(link.near(), 1500)).isEqualTo(pattern(1500, 1500));
  }

  @Test
  void bytesStayInOrderWhenTheSelectingThreadHasDied() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    link.near().register(selector, SelectionKey.OP_READ);
    Thread first =
        Thread.ofPlatform()
            .start(() -> {
              try {
                link.far().getOutputStream().write(pattern(0, 500));
                await(selector);
              } catch (Exception problem) {
                throw new IllegalStateException(problem);
              }
            });
    first.join(TIMEOUT_MILLIS);
    link.far().getOutputStream().write(pattern(500, 500));
    await(selector);
    assertThat(read(link.near(), 1000)).isEqualTo(pattern(0, 1000));
    link.near().close();
    assertThat(link.far().getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void bytesStayInOrderWhenTheChannelBlocksAgain() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    SelectionKey key = link.near().register(selector, SelectionKey.OP_READ);
    link.far().getOutputStream().write(pattern(0, 100));
    await(selector);
    key.cancel();
    link.near().configureBlocking(true);
    link.far().getOutputStream().write(pattern(100, 100));
    ByteBuffer all = ByteBuffer.allocate(200);
    while (all.hasRemaining()) {
      assertThat(link.near().read(all)).isPositive();
    }
    assertThat(all.array()).isEqualTo(pattern(0, 200));
    selector.selectNow();
    assertThat(link.near().isRegistered()).isFalse();
  }

  @Test
  void writesOfTwoThreadsGoOutWholeAndInOrder() throws Exception {
    ServerSocketChannel server = listen();
    List<Link> links = new ArrayList<>();
    Selector selector = selector();
    for (int i = 0; i < 4; i++) { // several are ready together, so that writes are staged
      Link link = link(server);
      links.add(link);
      link.near().register(selector, SelectionKey.OP_READ);
    }
    SocketChannel shared = links.getFirst().near();
    int rounds = 300;
    CompletableFuture<Void> other = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          try {
            for (int i = 0; i < rounds; i++) {
              write(shared, (byte) 'o', 100);
            }
            other.complete(null);
          } catch (Throwable problem) {
            other.completeExceptionally(problem);
          }
        });
    for (int i = 0; i < rounds; i++) {
      for (Link link : links) {
        link.far().getOutputStream().write(1);
      }
      await(selector);
      for (Link link : links) {
        link.near().read(ByteBuffer.allocate(10));
      }
      write(shared, (byte) 's', 100);
    }
    selector.selectNow();
    other.get(60, TimeUnit.SECONDS);
    byte[] all = links.getFirst().far().getInputStream().readNBytes(2 * rounds * 100);
    int[] counts = new int[128];
    for (int at = 0; at < all.length; at += 100) {
      for (int i = 1; i < 100; i++) {
        assertThat(all[at + i]).isEqualTo(all[at]);
      }
      counts[all[at]]++;
    }
    assertThat(counts['o']).isEqualTo(rounds);
    assertThat(counts['s']).isEqualTo(rounds);
  }

  private static void write(SocketChannel channel, byte what, int length) throws Exception {
    byte[] bytes = new byte[length];
    java.util.Arrays.fill(bytes, what);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    Await await = new Await();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
      await.check("room for bytes");
    }
  }

  @Test
  void whatIsStagedGoesOutThoughTheThreadDoesNotComeBack() throws Exception {
    ServerSocketChannel server = listen();
    Link a = link(server);
    Link b = link(server);
    Selector selector = selector();
    a.near().register(selector, SelectionKey.OP_READ);
    b.near().register(selector, SelectionKey.OP_READ);
    a.far().getOutputStream().write(1);
    b.far().getOutputStream().write(1);
    selectUntil(selector, () -> selector.selectedKeys().size() == 2);
    assertThat(read(a.near(), 1)).hasSize(1);
    assertThat(read(b.near(), 1)).hasSize(1);
    write(a.near(), (byte) 'x', 10);
    write(b.near(), (byte) 'y', 10);
    assertThat(a.far().getInputStream().readNBytes(10)).containsOnly('x');
    b.near().close();
    assertThat(b.far().getInputStream().readNBytes(11)).hasSize(10).containsOnly('y');
  }

  @Test
  void twoThousandSlowReadersStarveNoOther() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    List<Link> slow = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      Link link = link(server);
      link.near().register(selector, SelectionKey.OP_READ);
      slow.add(link);
    }
    for (int part = 0; part < 3; part++) { // more parts than there are chunks
      for (Link link : slow) {
        link.far().getOutputStream().write(pattern(1000 * part, 1000));
      }
      selectUntil(selector, () -> selector.selectedKeys().size() == slow.size());
      selector.selectedKeys().clear();
    }
    Link quick = link(server);
    SelectionKey key = quick.near().register(selector, SelectionKey.OP_READ);
    quick.far().getOutputStream().write(pattern(7, 100));
    selectUntil(selector, () -> selector.selectedKeys().contains(key));
    assertThat(read(quick.near(), 100)).isEqualTo(pattern(7, 100));
    for (Link link : slow) {
      assertThat(read(link.near(), 3000)).isEqualTo(pattern(0, 3000));
    }
  }

  /// From the first large part on the socket is only watched, later it is received from again.
  @Test
  void largeAndSmallMessagesComeInOrderAndAreToldOnlyWhenTheyAreThere() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    link.near().register(selector, SelectionKey.OP_READ);
    int[] sizes = {100, 300_000, 300_000, 1, 70_000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50, 200_000};
    ByteBuffer buffer = ByteBuffer.allocateDirect(50_000); // so that much is read in several steps
    int from = 0;
    for (int size : sizes) {
      byte[] message = pattern(from, size);
      CompletableFuture<Void> sent = started(() -> link.far().getOutputStream().write(message));
      byte[] got = new byte[size];
      int done = 0;
      while (done < size) {
        await(selector);
        int n = link.near().read(buffer.clear().limit(Math.min(buffer.capacity(), size - done)));
        assertThat(n).isNotNegative();
        buffer.flip().get(got, done, n);
        done += n;
      }
      sent.get(60, TimeUnit.SECONDS);
      assertThat(got).isEqualTo(message);
      assertThat(selector.selectNow()).isZero();
      assertThat(link.near().read(buffer.clear())).isZero();
      from += size;
    }
    link.far().getOutputStream().write(pattern(0, 100_000));
    link.far().close();
    ByteBuffer rest = ByteBuffer.allocate(100_001);
    int n = 0;
    while (n >= 0) {
      await(selector);
      n = link.near().read(rest);
    }
    assertThat(rest.position()).isEqualTo(100_000);
    await(selector); // the end stays
  }

  /// As servers with workers do: the worker reads while the selector sleeps, interest is given back
  /// afterwards. What was told to be there has to be read at once, however large messages are.
  @Test
  void aWorkerReadsWhatWasToldWhileTheSelectorSleeps() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    SelectionKey key = link.near().register(selector, SelectionKey.OP_READ);
    for (int i = 0; i < 60; i++) {
      byte[] message = pattern(i, i % 20 < 8 ? 200_000 : 10);
      CompletableFuture<Void> sent = started(() -> link.far().getOutputStream().write(message));
      ByteBuffer got = ByteBuffer.allocate(message.length);
      while (got.hasRemaining()) {
        await(selector);
        key.interestOps(0);
        CompletableFuture<Void> worker =
            started(() -> {
              TimeUnit.MILLISECONDS.sleep(1); // the selector is asleep again, as a rule
              assertThat(link.near().read(got)).isPositive();
              selector.wakeup();
            });
        selector.select(30_000);
        worker.get(60, TimeUnit.SECONDS);
        key.interestOps(SelectionKey.OP_READ);
      }
      sent.get(60, TimeUnit.SECONDS);
      assertThat(got.array()).isEqualTo(message);
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void aChannelThatIsOnlyWatchedCanBeTakenAway() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    SelectionKey key = link.near().register(selector, SelectionKey.OP_READ);
    for (int i = 0; i < 3; i++) {
      byte[] message = pattern(i, 200_000);
      CompletableFuture<Void> sent = started(() -> link.far().getOutputStream().write(message));
      await(selector);
      assertThat(read(link.near(), message.length)).isEqualTo(message);
      sent.get(60, TimeUnit.SECONDS);
      assertThat(selector.selectNow()).isZero();
    }
    key.cancel();
    selector.selectNow();
    link.near().configureBlocking(true);
    link.far().getOutputStream().write(pattern(5, 1000));
    assertThat(read(link.near(), 1000)).isEqualTo(pattern(5, 1000));
    link.near().configureBlocking(false);
    link.near().register(selector, SelectionKey.OP_READ);
    link.far().getOutputStream().write(pattern(6, 1000));
    await(selector);
    assertThat(read(link.near(), 1000)).isEqualTo(pattern(6, 1000));
  }

  @Test
  void connectionsLeaveNothingBehind() throws Exception {
    ServerSocketChannel server = listen();
    server.configureBlocking(false);
    Selector selector = selector();
    server.register(selector, SelectionKey.OP_ACCEPT);
    InetSocketAddress address =
        (InetSocketAddress) Objects.requireNonNull(server.getLocalAddress());
    serve(selector, server, address, 200);
    long before = descriptors();
    serve(selector, server, address, 3000);
    // A class that is loaded just now opens a file for a moment.
    Await.untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(before + 5));
  }

  private static long descriptors() throws Exception {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private static void serve(
      Selector selector, ServerSocketChannel server, InetSocketAddress address, int connections)
      throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(100);
    for (int i = 0; i < connections; i++) {
      try (Socket client = new Socket(address.getAddress(), address.getPort())) {
        client.setSoTimeout(TIMEOUT_MILLIS);
        client.getOutputStream().write(i);
        boolean answered = false;
        Await await = new Await();
        while (!answered) {
          await.check("a byte to answer");
          selector.select(1000);
          for (SelectionKey key : selector.selectedKeys()) {
            if (key.isAcceptable()) {
              SocketChannel channel = server.accept();
              if (channel != null) {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
              }
            } else if (((SocketChannel) key.channel()).read(buffer.clear()) > 0) {
              ((SocketChannel) key.channel()).write(buffer.flip());
              key.channel().close();
              answered = true;
            }
          }
          selector.selectedKeys().clear();
        }
        InputStream in = client.getInputStream();
        assertThat(in.read()).isEqualTo(i & 0xff);
        assertThat(in.read()).isEqualTo(-1);
      }
    }
    selector.selectNow();
  }

  @Test
  void nothingIsAllocatedForARequest() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    AtomicBoolean enough = new AtomicBoolean();
    for (int i = 0; i < 4; i++) {
      Link link = link(server);
      link.near().register(selector, SelectionKey.OP_READ);
      clients.add(started(() -> askUntil(enough, link.far())));
    }
    Echo echo = new Echo();
    long allocated =
        AllocatedBytes.settled(
            MOST_BYTES,
            () -> {
              Await await = new Await();
              for (int end = echo.served + 2000; echo.served < end; ) {
                selector.select(echo, 1000);
                await.check("requests");
              }
            });
    enough.set(true);
    Await await = new Await();
    while (!clients.stream().allMatch(CompletableFuture::isDone)) {
      selector.select(echo, 10); // their last requests
      await.check("the clients' end");
    }
    for (CompletableFuture<Void> client : clients) {
      client.get(60, TimeUnit.SECONDS);
    }
    assertThat(allocated).isLessThanOrEqualTo(MOST_BYTES);
  }

  private static void askUntil(AtomicBoolean enough, Socket far) throws Exception {
    byte[] bytes = new byte[64];
    while (!enough.get()) {
      far.getOutputStream().write(bytes);
      assertThat(far.getInputStream().readNBytes(bytes, 0, bytes.length)).isEqualTo(bytes.length);
    }
  }

  /// Sends back what comes.
  private static final class Echo implements Consumer<SelectionKey> {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    int served;

    @Override
    public void accept(SelectionKey key) {
      SocketChannel channel = (SocketChannel) key.channel();
      try {
        if (channel.read(buffer.clear()) > 0) {
          channel.write(buffer.flip());
          served++;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// Undertow's workers do this when they wait for more of a request's body.
  @Test
  void severalThreadsTakeChannelsAwayFromARingThatSleeps() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> owner =
        started(() -> {
          while (!over.get()) {
            selector.select();
          }
        });
    List<CompletableFuture<Void>> takers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Link link = link(server);
      takers.add(started(() -> takeAwayAgainAndAgain(link.near(), selector)));
    }
    try {
      for (CompletableFuture<Void> taker : takers) {
        taker.get(60, TimeUnit.SECONDS);
      }
    } finally {
      over.set(true);
      selector.wakeup();
    }
    owner.get(60, TimeUnit.SECONDS);
  }

  private void takeAwayAgainAndAgain(SocketChannel channel, Selector selector) throws Exception {
    for (int i = 0; i < 300; i++) {
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
      key.interestOps(0);
      key.interestOps(SelectionKey.OP_READ);
      selector.wakeup();
      try (Selector another = provider.openSelector()) {
        channel.register(another, SelectionKey.OP_READ);
        another.selectNow();
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private static CompletableFuture<Void> started(Step step) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            step.run();
            end.complete(null);
          } catch (Throwable problem) {
            end.completeExceptionally(problem);
          }
        });
    return end;
  }
}
