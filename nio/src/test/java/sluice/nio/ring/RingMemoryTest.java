package sluice.nio.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.uring.RingChunk;
import sluice.nio.ChildJvm;
import sluice.testbase.Await;

/// What rings take of the memory they share, what they give back, and what happens when there is no
/// more. Each test's threads end with it.
@Timeout(300)
class RingMemoryTest extends RingTests {
  private final List<RingChunk> taken = new ArrayList<>();

  private record Link(SocketChannel near, Socket far) {}

  private Link link(ServerSocketChannel server) throws Exception {
    InetSocketAddress address =
        (InetSocketAddress) Objects.requireNonNull(server.getLocalAddress());
    Socket far = new Socket(address.getAddress(), address.getPort());
    open.add(far);
    SocketChannel near = server.accept();
    near.configureBlocking(false);
    open.add(near);
    return new Link(near, far);
  }

  private static byte[] pattern(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(Selector selector, SocketChannel channel, int length)
      throws Exception {
    ByteBuffer all = ByteBuffer.allocate(length);
    Await await = new Await();
    while (all.hasRemaining() && channel.read(all) >= 0) {
      int _ = selector.selectNow();
      selector.selectedKeys().clear();
      await.check("bytes");
    }
    return all.array();
  }

  /// Also what rings of tests before this one give back a little later, with the flusher's help, or
  /// when they are collected.
  @BeforeEach
  void nothingIsTaken() throws InterruptedException {
    taken.clear();
    for (int tries = 0; tries < 100 && RingMemory.free() < RingMemory.count(); tries++) {
      System.gc();
      Thread.sleep(20);
    }
    int last = -1;
    for (int still = 0; still < 10; still++) {
      int now = RingMemory.free();
      still = now == last ? still : 0;
      last = now;
      Thread.sleep(5);
    }
  }

  /// The flusher may be sending something of the ring just now.
  private static void awaitFree(int pieces) {
    Await.untilAsserted(() -> assertThat(RingMemory.free()).isGreaterThanOrEqualTo(pieces));
  }

  @AfterEach
  void giveBack() {
    taken.forEach(RingMemory::giveBack);
  }

  private void takeWhatRingsMayGrowBy() {
    for (RingChunk piece = RingMemory.take(); piece != null; piece = RingMemory.take()) {
      taken.add(piece);
    }
  }

  private void takeAll() {
    try {
      while (true) {
        taken.add(RingMemory.need());
      }
    } catch (IOException none) {
      assertThat(none).hasMessageContaining("Why: ").hasMessageContaining("Fix: ");
    }
  }

  /// 2000 selectors that come and go, and 200 that stay: 300 MiB, of which the heap has 64 and Java
  /// without any selector about 60.
  @Test
  void manySelectorsStayWithinTheirBound() throws Exception {
    List<String> options = List.of("-Xmx64m", "-XX:+UseSerialGC", "-Dsluice.nio.memory=64");
    Process child = ChildJvm.of(options, ManySelectors.class, "2000", "200", "300").start();
    try {
      assertThat(child.waitFor(240, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void aRingGrowsWithWhatArrivesAndGivesAllBack() throws Exception {
    int before = RingMemory.free();
    ServerSocketChannel server = listen();
    Selector selector = selector();
    List<Link> links = new ArrayList<>();
    byte[] message = pattern(1, 60_000);
    for (int i = 0; i < 50; i++) {
      Link link = link(server);
      SelectionKey _ = link.near().register(selector, SelectionKey.OP_READ);
      links.add(link);
      link.far().getOutputStream().write(message);
    }
    selectUntil(selector, () -> selector.selectedKeys().size() == links.size());
    assertThat(RingMemory.free()).isLessThan(before - 3);
    for (Link link : links) {
      assertThat(read(selector, link.near(), message.length)).isEqualTo(message);
    }
    selector.close();
    awaitFree(before);
  }

  @Test
  void bytesOutliveTheirRingButNotItsMemory() throws Exception {
    int before = RingMemory.free();
    ServerSocketChannel server = listen();
    Selector selector = selector();
    Link link = link(server);
    SelectionKey _ = link.near().register(selector, SelectionKey.OP_READ);
    byte[] message = pattern(2, 5000);
    link.far().getOutputStream().write(message);
    selector.select(30_000);
    selector.close();
    awaitFree(before);
    link.near().configureBlocking(true);
    assertThat(link.near().socket().getInputStream().readNBytes(message.length)).isEqualTo(message);
  }

  @Test
  void aChannelThatIsClosedUnreadKeepsNothing() throws Exception {
    ServerSocketChannel server = listen();
    Selector selector = selector();
    int before = -1;
    for (int i = 0; i < 500; i++) {
      Link link = link(server);
      SelectionKey _ = link.near().register(selector, SelectionKey.OP_READ);
      link.far().getOutputStream().write(pattern(i, 1000));
      selector.select(30_000);
      selector.selectedKeys().clear();
      link.near().close();
      selector.selectNow();
      if (i == 100) {
        before = RingMemory.free();
      }
    }
    assertThat(RingMemory.free()).isGreaterThanOrEqualTo(before - 2);
  }

  @Test
  void withoutAnyMemoryASelectorWorksWithoutARing() throws Exception {
    takeAll();
    ServerSocketChannel server = listen();
    Selector selector = selector();
    Link link = link(server);
    SelectionKey _ = link.near().register(selector, SelectionKey.OP_READ);
    byte[] message = pattern(3, 5000);
    link.far().getOutputStream().write(message);
    selector.select(30_000);
    assertThat(read(selector, link.near(), message.length)).isEqualTo(message);
    assertThat(RingMemory.free()).isZero();
  }

  @Test
  void slowReadersStarveNoOtherThoughTheRingCannotGrow() throws Exception {
    takeWhatRingsMayGrowBy();
    int before = RingMemory.free();
    ServerSocketChannel server = listen();
    Selector selector = selector();
    List<Link> slow = new ArrayList<>();
    int parts = 4;
    int length = 3000;
    for (int i = 0; i < 100; i++) {
      Link link = link(server);
      SelectionKey _ = link.near().register(selector, SelectionKey.OP_READ);
      slow.add(link);
    }
    for (int part = 0; part < parts; part++) {
      for (int i = 0; i < slow.size(); i++) {
        slow.get(i).far().getOutputStream().write(pattern(i * parts + part, length));
        selector.selectNow();
      }
    }
    Link quick = link(server);
    SelectionKey key = quick.near().register(selector, SelectionKey.OP_READ);
    for (int i = 0; i < 100; i++) {
      quick.far().getOutputStream().write(pattern(i, 2000));
      selector.selectedKeys().clear();
      selectUntil(selector, () -> selector.selectedKeys().contains(key));
      assertThat(read(selector, quick.near(), 2000)).isEqualTo(pattern(i, 2000));
    }
    assertThat(RingMemory.free()).isGreaterThanOrEqualTo(before - 1);
    for (int i = 0; i < slow.size(); i++) {
      for (int part = 0; part < parts; part++) {
        assertThat(read(selector, slow.get(i).near(), length))
            .isEqualTo(pattern(i * parts + part, length));
      }
    }
  }

  @Test
  void whatIsHeldComesBackInOrder() throws Exception {
    Random random = new Random(7);
    byte[] sent = pattern(8, 4 * RingMemory.PIECE_BYTES);
    byte[] got = new byte[sent.length];
    HeldBytes held = new HeldBytes();
    int in = 0;
    int out = 0;
    while (in < sent.length) {
      RingChunk piece = RingMemory.need();
      taken.add(piece);
      while (in < sent.length && in % RingMemory.PIECE_BYTES + 700 < RingMemory.PIECE_BYTES) {
        int length = Math.min(1 + random.nextInt(600), sent.length - in);
        int at = RingMemory.start(piece) + piece.fill(length, true);
        RingMemory.bytes().put(at, sent, in, length);
        held.push((long) at << 32 | length, random.nextInt(50) > 0);
        in += length;
        if (random.nextInt(20) == 0) {
          held.move();
        }
        ByteBuffer to = ByteBuffer.wrap(got, out, Math.min(random.nextInt(1000), in - out));
        out += held.take(to);
        assertThat(held.bytes()).isEqualTo(in - out);
      }
      in += finish(sent, held, piece, in);
    }
    out += held.take(ByteBuffer.wrap(got, out, in - out));
    assertThat(out).isEqualTo(sent.length);
    assertThat(got).isEqualTo(sent);
    assertThat(taken).allMatch(piece -> piece.leases() == 0);
  }

  /// The last part of a piece, which takes the ring's own lease with it.
  private static int finish(byte[] sent, HeldBytes held, RingChunk piece, int in) {
    int length = Math.min(sent.length - in, 90);
    if (length == 0) {
      piece.release();
      return 0;
    }
    int at = RingMemory.start(piece) + piece.fill(length, false);
    RingMemory.bytes().put(at, sent, in, length);
    held.push((long) at << 32 | length, true);
    return length;
  }
}
