package sluice.nio.readiness;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// What an application sees of the readiness selector, and what it costs in system calls.
@Timeout(120)
final class ReadinessSelectorTest {
  private static final long TIMEOUT_MILLIS = 30_000;

  private final SelectorProvider provider = ReadinessChannels.open(ReadinessSettings.DEFAULT);
  private final List<AutoCloseable> resources = new ArrayList<>();

  private ReadinessSelector selector() throws IOException {
    return keep((ReadinessSelector) provider.openSelector());
  }

  private ConnectedPair pair() throws IOException {
    return keep(ConnectedPair.open(provider));
  }

  private <T extends AutoCloseable> T keep(T resource) {
    resources.add(resource);
    return resource;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable resource : resources.reversed()) {
      resource.close();
    }
  }

  /// Selects until something is ready.
  private static SelectionKey next(ReadinessSelector selector) throws IOException {
    assertThat(selector.select(TIMEOUT_MILLIS)).isEqualTo(1);
    SelectionKey key = selector.selectedKeys().iterator().next();
    selector.selectedKeys().clear();
    return key;
  }

  @Test
  void aSteadyInterestCostsOneControl() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    pair.ours().register(selector, OP_READ);
    for (int i = 0; i < 50; i++) {
      pair.arrive(10);
      assertThat(next(selector).isReadable()).isTrue();
      assertThat(pair.take(100)).isEqualTo(10);
    }
    assertThat(selector.counts().controls).isEqualTo(1);
    assertThat(selector.counts().looks).isZero();
  }

  @Test
  void aToggleBackBeforeTheWaitCostsNothing() throws IOException {
    ReadinessSelector selector = selector();
    SelectionKey key = pair().ours().register(selector, OP_READ);
    selector.selectNow();
    for (int i = 0; i < 100; i++) {
      key.interestOps(0);
      key.interestOps(OP_READ | OP_WRITE);
      key.interestOps(OP_READ);
      selector.selectNow();
    }
    assertThat(selector.counts().controls).isEqualTo(1);
  }

  @Test
  void anInterestDroppedWhileARequestIsAnsweredCostsNoControl() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    for (int i = 0; i < 100; i++) {
      pair.arrive(10);
      assertThat(next(selector)).isSameAs(key);
      key.interestOps(0);
      assertThat(selector.selectNow()).isZero(); // the request is not read yet
      assertThat(pair.take(100)).isEqualTo(10);
      key.interestOps(OP_READ);
    }
    assertThat(selector.counts().controls).isLessThanOrEqualTo(3);
  }

  @Test
  void aChannelThatComesBackWithANewKeyCostsNoControl() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SocketChannel ours = pair.ours();
    for (int i = 0; i < 100; i++) {
      ours.configureBlocking(false);
      SelectionKey key = ours.register(selector, OP_READ);
      pair.arrive(10);
      assertThat(next(selector)).isSameAs(key);
      key.cancel();
      ours.configureBlocking(true);
      assertThat(selector.selectNow()).isZero();
      assertThat(ours.keyFor(selector)).isNull();
      assertThat(pair.take(100)).isEqualTo(10);
    }
    assertThat(selector.counts().controls).isLessThanOrEqualTo(3);
  }

  @Test
  void aKeyThatTogglesNoMoreIsNotLookedAtAnyMore() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    selector.selectNow();
    key.interestOps(0);
    selector.selectNow();
    key.interestOps(OP_READ);
    for (int i = 0; i < 50; i++) {
      pair.arrive(10);
      assertThat(next(selector)).isSameAs(key);
      assertThat(pair.take(100)).isEqualTo(10);
    }
    assertThat(selector.counts().looks).isLessThan(10);
    assertThat(selector.counts().controls).isLessThanOrEqualTo(3);
  }

  @Test
  void whatIsLeftUnreadIsReportedAgain() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    for (int round = 0; round < 20; round++) {
      pair.arrive(20);
      next(selector);
      key.interestOps(0);
      assertThat(selector.selectNow()).isZero();
      assertThat(pair.take(5)).isEqualTo(5);
      key.interestOps(OP_READ);
      for (int rest = 0; rest < 3; rest++) {
        assertThat(next(selector)).isSameAs(key);
        assertThat(pair.take(5)).isEqualTo(5);
      }
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void bytesThatArriveWithoutInterestAreReportedLater() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    for (int round = 0; round < 20; round++) {
      key.interestOps(0);
      for (int i = 0; i < 4; i++) {
        pair.arrive(10);
        assertThat(selector.select(1)).isZero();
      }
      key.interestOps(OP_READ);
      assertThat(next(selector)).isSameAs(key);
      for (int taken = 0; taken < 40; ) {
        taken += pair.take(100);
      }
    }
    assertThat(selector.counts().controls).isLessThanOrEqualTo(20 * 2 + 2);
  }

  @Test
  void writeInterestOfAToggledKeyIsReportedAtOnce() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    selector.selectNow();
    for (int round = 0; round < 20; round++) {
      key.interestOps(0);
      selector.selectNow();
      key.interestOps(OP_READ);
      selector.selectNow();
      key.interestOps(OP_READ | OP_WRITE);
      assertThat(next(selector).isWritable()).isTrue();
      key.interestOps(OP_READ);
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void aFullSocketBecomesWritableAgain() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    ByteBuffer block = ByteBuffer.allocate(64 * 1024);
    for (int round = 0; round < 5; round++) {
      key.interestOps(0);
      selector.selectNow();
      long written = fill(pair, block);
      key.interestOps(OP_WRITE);
      Await await = new Await();
      while (selector.selectNow() > 0) { // the kernel has moved on what it held
        await.check("a full socket");
        selector.selectedKeys().clear();
        long more = fill(pair, block);
        assertThat(more).as("bytes where it was writable").isPositive();
        written += more;
      }
      ByteBuffer sink = ByteBuffer.allocate(64 * 1024);
      for (long read = 0; read < written; ) {
        int some = pair.peer().read(sink.clear());
        assertThat(some).isPositive();
        read += some;
      }
      assertThat(next(selector).isWritable()).isTrue();
    }
  }

  private static long fill(ConnectedPair pair, ByteBuffer block) throws IOException {
    long written = 0;
    for (int n; (n = pair.ours().write(block.clear())) > 0; ) {
      written += n;
    }
    return written;
  }

  @Test
  void theEndOfAToggledStreamIsReportedUntilItIsSeen() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair pair = pair();
    SelectionKey key = pair.ours().register(selector, OP_READ);
    selector.selectNow();
    key.interestOps(0);
    selector.selectNow();
    pair.peer().close();
    assertThat(selector.select(1)).isZero();
    key.interestOps(OP_READ);
    assertThat(next(selector)).isSameAs(key);
    assertThat(next(selector)).isSameAs(key);
    assertThat(pair.ours().read(ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @Test
  void aDescriptorsNumberIsUsedAgain() throws IOException {
    ReadinessSelector selector = selector();
    for (int i = 0; i < 50; i++) {
      try (ConnectedPair pair = ConnectedPair.open(provider)) {
        SelectionKey key = pair.ours().register(selector, OP_READ);
        pair.arrive(1);
        assertThat(next(selector)).isSameAs(key);
        if (i % 2 == 0) {
          key.cancel();
          selector.selectNow();
        }
      }
      assertThat(selector.selectNow()).isZero();
      assertThat(selector.keys()).isEmpty();
    }
    assertThat(selector.counts().rebuilds).isZero();
  }

  @Test
  void aSelectorClosedByItsOwnActionStopsAtOnce() throws IOException {
    ReadinessSelector selector = selector();
    ConnectedPair first = pair();
    ConnectedPair second = pair();
    first.ours().register(selector, OP_READ);
    second.ours().register(selector, OP_READ);
    first.arrive(1);
    second.arrive(1);
    List<SelectionKey> seen = new ArrayList<>();
    assertThatThrownBy(() ->
            selector.select(key -> {
              seen.add(key);
              closeQuietly(selector);
            }))
        .isInstanceOf(ClosedSelectorException.class);
    assertThat(seen).hasSize(1);
    assertThat(first.ours().isRegistered()).isFalse();
    selector.wakeup();
  }

  private static void closeQuietly(ReadinessSelector selector) {
    try {
      selector.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anActionThatThrowsLosesNothing() throws IOException {
    ReadinessSelector selector = selector();
    List<ConnectedPair> pairs = List.of(pair(), pair(), pair());
    for (ConnectedPair pair : pairs) {
      SelectionKey key = pair.ours().register(selector, OP_READ, pair);
      selector.selectNow();
      key.interestOps(0); // edge-triggered from here
      selector.selectNow();
      key.interestOps(OP_READ);
      pair.arrive(1);
    }
    assertThatThrownBy(() ->
            selector.select(_ -> {
              throw new IllegalStateException("thrown by the test");
            }))
        .hasMessage("thrown by the test");
    List<SelectionKey> seen = new ArrayList<>();
    Await await = new Await();
    while (seen.size() < 3) {
      await.check("three keys");
      selector.select(
          key -> {
            seen.add(key);
            key.cancel();
          },
          TIMEOUT_MILLIS);
    }
    assertThat(seen).doesNotHaveDuplicates();
  }

  @Test
  void everyReadyKeyIsReportedOnce() throws IOException {
    ReadinessSelector selector = selector();
    List<SelectionKey> keys = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ConnectedPair pair = pair();
      keys.add(pair.ours().register(selector, OP_READ | OP_WRITE));
      pair.arrive(1);
    }
    List<SelectionKey> seen = new ArrayList<>();
    assertThat(selector.select(seen::add)).isEqualTo(3);
    assertThat(seen).containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  void channelsReportTheProviderThatMakesOurSelectors() throws IOException {
    ConnectedPair pair = pair();
    assertThat(pair.ours().provider()).isSameAs(selector().provider());
    keep(pair.ours().provider().openSelector());
  }
}
