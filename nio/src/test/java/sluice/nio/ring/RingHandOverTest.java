package sluice.nio.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// What a ring has received or was to send, when threads take its selector or its channels away
/// from it. Each test's threads end with it.
@Timeout(300)
class RingHandOverTest extends RingTests {
  private record Link(SocketChannel near, Socket far) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      far.close();
      near.close();
    }
  }

  private static Socket connect(ServerSocketChannel server) throws Exception {
    InetSocketAddress address =
        (InetSocketAddress) Objects.requireNonNull(server.getLocalAddress());
    Socket far = new Socket(address.getAddress(), address.getPort());
    far.setSoTimeout(TIMEOUT_MILLIS);
    far.setTcpNoDelay(true);
    return far;
  }

  private Link link(ServerSocketChannel server) throws Exception {
    Socket far = connect(server);
    SocketChannel near = server.accept();
    near.configureBlocking(false);
    Link link = new Link(near, far);
    open.add(link);
    return link;
  }

  private static byte[] pattern(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static <T> CompletableFuture<T> started(Callable<T> call) {
    CompletableFuture<T> end = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            end.complete(call.call());
          } catch (Throwable problem) {
            end.completeExceptionally(problem);
          }
        });
    return end;
  }

  private static <T> T joined(CompletableFuture<T> task) throws Exception {
    return task.get(60, TimeUnit.SECONDS);
  }

  private static byte[] read(SocketChannel channel, int length) throws Exception {
    Await await = new Await();
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
      await.check("bytes");
    }
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  private static void selectAll(Selector selector, int count) throws Exception {
    selectUntil(selector, () -> selector.selectedKeys().size() >= count);
    selector.selectedKeys().clear();
  }

  // ---- what only the right order of steps brings about ----------------------------------------

  @Test
  void aSelectorThatClosesKeepsWhatItsReceivesBringLast() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    link.near().register(selector, SelectionKey.OP_READ);
    selector.selectNow(); // a receive is armed
    link.far().getOutputStream().write(pattern(1, 500));
    selector.close();
    assertThat(read(link.near(), 500)).isEqualTo(pattern(1, 500));
  }

  @Test
  void aReceiveIsNotArmedForAConnectionThatGotTheNumberOfAClosedOne() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    for (int round = 0; round < 20; round++) {
      Link old = link(server);
      SelectionKey key = old.near().register(selector, SelectionKey.OP_READ);
      selector.selectNow();
      key.interestOps(0);
      old.far().getOutputStream().write(1);
      Await await = new Await();
      while (!holdsOne(key)) {
        selector.selectNow();
        await.check("a byte that the ring has received");
      }
      assertThat(read(old.near(), 1)).hasSize(1);
      key.interestOps(SelectionKey.OP_READ);
      selector.selectNow(); // a ring that had stopped receiving begins again now, or the next time
      Socket far = connect(server);
      SocketChannel near =
          joined(
              started(() -> {
                old.near().close();
                return server.accept();
              }));
      near.configureBlocking(false);
      Link young = new Link(near, far);
      open.add(young);
      young.far().getOutputStream().write(pattern(3, 100));
      selector.selectNow();
      selector.selectNow();
      assertThat(read(young.near(), 100)).isEqualTo(pattern(3, 100));
      young.close();
      old.far().close();
    }
  }

  private static boolean holdsOne(SelectionKey key) {
    return ((RingStream) Objects.requireNonNull(((NioKey) key).port)).heldBytes() == 1;
  }

  /// More than the ring takes submissions at a time. The ring's thread knows of none of the moves
  /// when it lets go of one more channel.
  @Test
  void aRingReceivesNothingForChannelsThatMovedWhileItLetsGoOfAnother() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    List<SelectionKey> moving = new ArrayList<>();
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Link link = link(server);
      links.add(link);
      moving.add(link.near().register(selector, SelectionKey.OP_READ));
    }
    Link other = link(server);
    SelectionKey last = other.near().register(selector, SelectionKey.OP_READ);
    selector.selectNow(); // receives are armed
    Selector next = selector();
    joined(
        started(() -> {
          for (SelectionKey key : moving) {
            key.cancel();
            key.channel().register(next, SelectionKey.OP_READ);
          }
          return next.selectNow();
        }));
    for (Link link : links) {
      link.far().getOutputStream().write(1);
    }
    last.cancel();
    other.near().close();
    int ready =
        joined(
            started(() -> {
              selectAll(next, links.size());
              int read = 0;
              for (Link link : links) {
                read += read(link.near(), 1).length;
              }
              return read;
            }));
    assertThat(ready).isEqualTo(links.size());
  }

  /// The kernel wakes one of those that wait to accept: not the ring that it is about to end.
  @Test
  void aListenerFromARingThatAnotherThreadHasClosedReportsItsNextConnection() throws Exception {
    for (int round = 0; round < 100; round++) {
      ServerSocketChannel server = listen();
      server.configureBlocking(false);
      SynchronousQueue<Selector> armed = new SynchronousQueue<>();
      SynchronousQueue<Boolean> over = new SynchronousQueue<>();
      CompletableFuture<Boolean> owner =
          started(() -> {
            Selector selector = provider.openSelector();
            server.register(selector, SelectionKey.OP_ACCEPT);
            selector.selectNow();
            armed.put(selector);
            return over.take(); // alive, but it never selects again
          });
      Selector next = selector();
      Objects.requireNonNull(armed.poll(60, TimeUnit.SECONDS)).close();
      server.register(next, SelectionKey.OP_ACCEPT);
      next.selectNow();
      try (Socket far = connect(server)) {
        selectAll(next, 1);
        try (SocketChannel near = server.accept()) {
          assertThat(near.getRemoteAddress()).isEqualTo(far.getLocalSocketAddress());
        }
      }
      over.put(true);
      joined(owner);
      next.close();
      server.close();
    }
  }

  @Test
  void aReaderThatIsInsideWhileAnotherThreadClosesFindsWhatWasReceived() throws Exception {
    Selector selector = selector();
    Link link = link(listen());
    SelectionKey key = link.near().register(selector, SelectionKey.OP_READ);
    link.far().getOutputStream().write(pattern(5, 100));
    selectUntil(selector, () -> ((NioKey) key).sluice().readyHere() != 0);
    RingStream stream = (RingStream) Objects.requireNonNull(((NioKey) key).port);
    ReentrantLock reads = stream.channel().core().reads.lock;
    CompletableFuture<Void> closing;
    reads.lock(); // as the reader that is inside
    try {
      int held = stream.heldBytes();
      closing =
          started(() -> {
            link.near().close();
            return null;
          });
      Await await = new Await();
      while (!reads.hasQueuedThreads()) { // it waits for the reader
        await.check("the thread that closes");
      }
      assertThat(held).isPositive();
      assertThat(stream.heldBytes()).isEqualTo(held);
    } finally {
      reads.unlock();
    }
    joined(closing);
    selector.selectNow(); // which lets go of the channel
    assertThat(stream.heldBytes()).isZero();
  }

  @Test
  void whatWasStagedArrivesAlthoughAnotherThreadCloses() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    Link link = link(server);
    Link other = link(server);
    link.near().register(selector, SelectionKey.OP_READ);
    other.near().register(selector, SelectionKey.OP_READ);
    int accepted = 0;
    byte[] part = pattern(4, 4000);
    boolean full = false;
    while (!full) {
      link.far().getOutputStream().write(1);
      other.far().getOutputStream().write(1);
      selectAll(selector, 2); // with two keys ready writes are staged
      read(link.near(), 1);
      read(other.near(), 1);
      int n = link.near().write(ByteBuffer.wrap(part));
      accepted += n;
      full = n < part.length;
    }
    joined(
        started(() -> {
          link.near().close();
          return null;
        }));
    InputStream in = link.far().getInputStream();
    byte[] all = in.readNBytes(accepted + 1);
    assertThat(all).hasSize(accepted);
    for (int at = 0; at < accepted; at += part.length) {
      int end = Math.min(accepted, at + part.length);
      assertThat(Arrays.equals(all, at, end, part, 0, end - at)).isTrue();
    }
  }

  // ---- many threads, as servers have them -----------------------------------------------------

  /// As Jetty's: the selecting thread gives the selecting to another thread before it serves. The
  /// channel leaves the ring of a selector that is just falling asleep.
  @Test
  void aSelectorThatFallsAsleepHearsOfAChannelThatLeavesItsRing() throws Exception {
    ServerSocketChannel server = listen();
    Link link = link(server);
    Selector selector = selector();
    Selector other = selector();
    Random random = new Random(1);
    SynchronousQueue<Integer> rounds = new SynchronousQueue<>();
    SynchronousQueue<Integer> told = new SynchronousQueue<>();
    CompletableFuture<Integer> selecting =
        started(() -> answerRounds(link, selector, rounds, told));
    for (int i = 0; i < 10_000; i++) {
      rounds.put(i);
      for (int spin = random.nextInt(1000); spin > 0; spin--) {
        Thread.onSpinWait();
      }
      SelectionKey second = link.near().register(other, 0); // no ring moves bytes for two selectors
      link.far().getOutputStream().write(i);
      assertThat(told.poll(TIMEOUT_MILLIS + 20_000, TimeUnit.MILLISECONDS)).isEqualTo(1);
      second.cancel();
      other.selectNow();
    }
    rounds.put(-1);
    assertThat(joined(selecting)).isEqualTo(10_000);
  }

  /// Selects for each round, after the channel has gone back to the ring.
  private static int answerRounds(
      Link link,
      Selector selector,
      SynchronousQueue<Integer> rounds,
      SynchronousQueue<Integer> told)
      throws Exception {
    SelectionKey key = link.near().register(selector, SelectionKey.OP_READ);
    int count = 0;
    while (rounds.take() >= 0) {
      key.interestOps(0);
      selector.selectNow();
      key.interestOps(SelectionKey.OP_READ);
      int ready = selector.selectNow();
      if (ready == 0) {
        ready = selector.select(TIMEOUT_MILLIS);
      }
      selector.selectedKeys().clear();
      read(link.near(), 1);
      told.put(ready);
      count++;
    }
    return count;
  }

  @Test
  void nothingIsLostWhileThreadsTakeTurnsToSelect() throws Exception {
    ServerSocketChannel server = listen();
    for (int round = 0; round < 40; round++) {
      new TurnsServer(provider.openSelector(), server, round).run();
    }
  }

  /// Echoes frames, in pieces, on a selector whose threads take turns. Made and run by a test.
  private final class TurnsServer {
    private static final int LINKS = 12;
    private static final int FRAMES = 6;

    private final Selector selector;
    private final List<Link> links = new ArrayList<>();
    private final int seed;
    private volatile boolean over;

    TurnsServer(Selector selector, ServerSocketChannel server, int seed) throws Exception {
      this.selector = selector;
      this.seed = seed;
      for (int i = 0; i < LINKS; i++) {
        links.add(link(server));
      }
    }

    void run() throws Exception {
      for (Link link : links) {
        link.near().register(selector, SelectionKey.OP_READ);
      }
      List<CompletableFuture<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < LINKS; i++) {
        int number = i;
        tasks.add(started(() -> converse(links.get(number).far(), 1000 * seed + number)));
      }
      List<CompletableFuture<Void>> servers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        servers.add(started(this::serve));
      }
      try {
        for (CompletableFuture<Void> task : tasks) {
          joined(task);
        }
      } finally {
        over = true;
        selector.wakeup();
      }
      for (CompletableFuture<Void> task : servers) {
        joined(task);
      }
      selector.close();
      for (Link link : links) {
        link.close();
        open.remove(link);
      }
    }

    private Void converse(Socket far, int number) throws Exception {
      Random random = new Random(number);
      OutputStream out = far.getOutputStream();
      for (int i = 0; i < FRAMES; i++) {
        byte[] frame = pattern(number + i, 1 + random.nextInt(i == 3 ? 10_000 : 3000));
        int half = random.nextInt(frame.length);
        out.write(frame, 0, half);
        out.write(frame, half, frame.length - half);
        assertThat(far.getInputStream().readNBytes(frame.length)).isEqualTo(frame);
      }
      return null;
    }

    private Void serve() throws Exception {
      ByteBuffer buffer = ByteBuffer.allocateDirect(777);
      while (!over) {
        List<SelectionKey> mine = new ArrayList<>();
        synchronized (this) { // the producer's turn
          if (over) {
            break;
          }
          selector.select();
          for (SelectionKey key : selector.selectedKeys()) {
            key.interestOps(0);
            mine.add(key);
          }
          selector.selectedKeys().clear();
        }
        for (SelectionKey key : mine) {
          echo((SocketChannel) key.channel(), buffer);
          key.interestOps(SelectionKey.OP_READ);
        }
        selector.wakeup();
      }
      selector.wakeup();
      return null;
    }

    private void echo(SocketChannel channel, ByteBuffer buffer) throws Exception {
      while (channel.read(buffer.clear()) > 0) {
        buffer.flip();
        Await await = new Await();
        while (buffer.hasRemaining()) {
          channel.write(buffer);
          await.check("room for bytes");
        }
      }
    }
  }
}
