package sluice.nio.readiness;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.Files;
import sun.nio.ch.SelChImpl;

/// Waking, waiting and several threads on one readiness selector.
@Timeout(120)
final class ReadinessWakeupTest {
  private final SelectorProvider provider =
      ReadinessChannels.open(ReadinessSettings.DEFAULT.withThreshold(4));

  private static ExecutorService threads(boolean virtual) {
    return virtual ? Executors.newVirtualThreadPerTaskExecutor() : Executors.newCachedThreadPool();
  }

  private ReadinessSelector open() throws IOException {
    return (ReadinessSelector) provider.openSelector();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waitsAreHeldUnlessThatIsSwitchedOff(boolean coalescing) throws IOException {
    ReadinessSettings settings = new ReadinessSettings(1, coalescing, false);
    try (ReadinessSelector selector =
        (ReadinessSelector) ReadinessChannels.open(settings).openSelector()) {
      selector.coalescing().begin();
      assertThat(selector.select(1)).isZero();
      assertThat(selector.selectNow()).isZero();
      assertThat(selector.counts().holds).isEqualTo(coalescing ? 1 : 0);
    }
  }

  @Test
  void aSelectorThatIsAwakeIsWokenWithoutACall() throws IOException {
    try (ReadinessSelector selector = open()) {
      for (int i = 0; i < 100; i++) {
        selector.wakeup();
        selector.wakeup();
        assertThat(selector.select()).isZero();
      }
      assertThat(selector.counts().wakeupsWritten.get()).isZero();
      selector.wakeup();
      assertThat(selector.selectNow()).isZero(); // takes the wake-up
      assertThat(selector.select(1)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSleeperIsWoken(boolean virtual) throws Exception {
    try (ReadinessSelector selector = open();
        ExecutorService threads = threads(virtual)) {
      for (int i = 0; i < 50; i++) {
        Future<Integer> sleeper = threads.submit(() -> selector.select());
        selector.wakeup();
        assertThat(sleeper.get(60, TimeUnit.SECONDS)).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSleeperSeesWhatArrives(boolean virtual) throws Exception {
    try (ReadinessSelector selector = open();
        ExecutorService threads = threads(virtual);
        ConnectedPair pair = ConnectedPair.open(provider)) {
      pair.ours().register(selector, OP_READ);
      for (int i = 0; i < 50; i++) {
        Future<Integer> sleeper =
            threads.submit(() -> selector.select(SelectionKey::isReadable, 60_000));
        pair.arrive(3);
        assertThat(sleeper.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(pair.take(10)).isEqualTo(3);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInterruptEndsTheSelect(boolean virtual) throws Exception {
    try (ReadinessSelector selector = open()) {
      CountDownLatch ended = new CountDownLatch(1);
      Runnable select =
          () -> {
            try {
              selector.select();
              if (Thread.currentThread().isInterrupted()) {
                ended.countDown();
              }
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          };
      Thread thread =
          virtual ? Thread.ofVirtual().start(select) : Thread.ofPlatform().start(select);
      thread.interrupt();
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closingEndsTheSelectOfAnother(boolean virtual) throws Exception {
    ReadinessSelector selector = open();
    try (ExecutorService threads = threads(virtual)) {
      CountDownLatch begun = new CountDownLatch(1);
      Future<?> sleeper =
          threads.submit(() -> {
            begun.countDown();
            try {
              selector.select();
            } catch (java.nio.channels.ClosedSelectorException closedFirst) {
              assertThat(selector.isOpen()).isFalse();
            }
            return null;
          });
      begun.await();
      selector.close();
      sleeper.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aTimeLimitIsKept() throws IOException {
    try (ReadinessSelector selector = open()) {
      long start = System.nanoTime();
      assertThat(selector.select(20)).isZero();
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
    }
  }

  @Test
  void changesBeyondTheThresholdAreAppliedBeforeTheSelect() throws Exception {
    try (ReadinessSelector selector = open();
        ConnectedPair a = ConnectedPair.open(provider)) {
      SelectionKey key = a.ours().register(selector, OP_READ);
      for (int i = 0; i < 3; i++) {
        key.interestOps(0);
        key.interestOps(OP_READ);
      }
      assertThat(selector.counts().controls).isEqualTo(1);
      assertThat(selector.counts().selects).isZero();
      a.arrive(1);
      assertThat(selector.select()).isEqualTo(1);
    }
  }

  @Test
  void aDuplicateOfAClosedDescriptorDoesNotKeepTheSelectorBusy() throws Exception {
    int duplicate;
    try (ReadinessSelector selector = open();
        ConnectedPair alive = ConnectedPair.open(provider);
        ConnectedPair pair = ConnectedPair.open(provider)) {
      alive.ours().register(selector, OP_READ);
      pair.ours().register(selector, OP_READ);
      selector.selectNow();
      duplicate = Files.duplicate(((SelChImpl) pair.ours()).getFDVal());
      try {
        pair.arrive(1);
        pair.ours().close();
        assertThat(selector.select(200)).isZero();
        for (int i = 0; i < 200; i++) {
          assertThat(selector.select(1)).isZero();
        }
        long waits = selector.counts().waits;
        assertThat(selector.select(20)).isZero();
        assertThat(selector.counts().waits - waits).isLessThan(10);
        assertThat(selector.counts().rebuilds).isEqualTo(1);
        alive.arrive(1);
        assertThat(selector.select()).isEqualTo(1);
      } finally {
        Files.close(duplicate);
      }
    }
  }
}
