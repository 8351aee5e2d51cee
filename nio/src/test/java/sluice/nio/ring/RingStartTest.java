package sluice.nio.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;
import sluice.nio.ring.RingStart.Decision;
import sluice.testbase.Await;

/// When a selector takes a ring, and that channels which epoll has watched go on in it.
@Timeout(300)
final class RingStartTest extends RingTests {
  private static final int AFTER = 40;

  private final SluiceSelectorProvider sparing = CompletionProviders.after(AFTER);

  @Test
  void oneThreadHasToSeeEnough() {
    RingStart start = new RingStart(10);
    Thread first = new Thread();
    Thread second = new Thread();
    assertThat(start.select(first)).isEqualTo(Decision.WAIT);
    start.reported(9);
    assertThat(start.select(first)).isEqualTo(Decision.WAIT);
    assertThat(start.select(second)).as("its first").isEqualTo(Decision.WAIT);
    start.reported(9);
    assertThat(start.select(second)).isEqualTo(Decision.WAIT);
    start.reported(1);
    assertThat(start.select(second)).isEqualTo(Decision.START);
    assertThat(start.select(first)).as("after 19 to threads in turn").isEqualTo(Decision.WAIT);
    start.reported(1);
    assertThat(start.select(second)).isEqualTo(Decision.NEVER);
  }

  @Test
  void anIdleSelectorGetsNone() {
    RingStart start = new RingStart(10);
    for (int i = 0; i < 1000; i++) {
      assertThat(start.select(Thread.currentThread())).isEqualTo(Decision.WAIT);
      start.reported(0);
    }
  }

  private record Link(SocketChannel near, SocketChannel far) {}

  private Link link(ServerSocketChannel server, Selector selector) throws Exception {
    SocketChannel far = sparing.openSocketChannel();
    open.add(far);
    far.connect(server.getLocalAddress());
    SocketChannel near = server.accept();
    open.add(near);
    near.configureBlocking(false);
    SelectionKey _ = near.register(selector, SelectionKey.OP_READ);
    return new Link(near, far);
  }

  /// Sends a byte there and back.
  private static void exchange(Link link, Selector selector, byte value) throws Exception {
    ByteBuffer one = ByteBuffer.wrap(new byte[] {value});
    link.far().write(one);
    SelectionKey key = link.near().keyFor(selector);
    selectUntil(selector, () -> selector.selectedKeys().contains(key));
    selector.selectedKeys().clear();
    ByteBuffer got = ByteBuffer.allocate(2);
    assertThat(link.near().read(got)).isEqualTo(1);
    assertThat(link.near().write(got.flip())).isEqualTo(1);
    selector.selectNow(); // what is staged goes out
    selector.selectedKeys().clear();
    ByteBuffer back = ByteBuffer.allocate(2);
    assertThat(link.far().read(back)).isEqualTo(1);
    assertThat(back.get(0)).isEqualTo(value);
  }

  private static boolean hasRing(Link link, Selector selector) {
    return ((NioKey) link.near().keyFor(selector)).port != null;
  }

  @Test
  void channelsMoveToTheRingWhenItPays() throws Exception {
    ServerSocketChannel server = sparing.openServerSocketChannel();
    open.add(server);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Selector selector = sparing.openSelector();
    open.add(selector);
    List<Link> links = new ArrayList<>(List.of(link(server, selector), link(server, selector)));
    exchange(links.get(0), selector, (byte) 1);
    assertThat(hasRing(links.get(0), selector)).as("after one report").isFalse();
    Await await = new Await();
    for (int i = 0; !hasRing(links.get(0), selector); i++) {
      await.check("a ring");
      exchange(links.get(i & 1), selector, (byte) i);
    }
    assertThat(hasRing(links.get(1), selector)).as("the other connection").isTrue();
    links.add(link(server, selector));
    for (int i = 0; i < 100; i++) {
      exchange(links.get(i % 3), selector, (byte) i);
    }
    assertThat(hasRing(links.get(2), selector)).as("a later connection").isTrue();
  }

  @Test
  void threadsInTurnGetNone() throws Exception {
    ServerSocketChannel server = sparing.openServerSocketChannel();
    open.add(server);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Selector selector = sparing.openSelector();
    open.add(selector);
    Link link = link(server, selector);
    try (ExecutorService one = Executors.newSingleThreadExecutor();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < 3 * AFTER; i++) {
        byte value = (byte) i;
        (i % 2 == 0 ? one : other)
            .submit(() -> {
              exchange(link, selector, value);
              return null;
            })
            .get();
        assertThat(hasRing(link, selector)).isFalse();
      }
    }
    for (int i = 0; i < 2 * AFTER; i++) {
      exchange(link, selector, (byte) i);
    }
    assertThat(hasRing(link, selector)).as("it has been decided").isFalse();
  }
}
