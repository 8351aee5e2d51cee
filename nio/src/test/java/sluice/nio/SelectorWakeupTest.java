package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// A wake-up before or during a select ends exactly that select.
class SelectorWakeupTest extends Scenario {
  @Test
  void aWakeupBeforeEndsTheNextSelectAtOnce() throws Exception {
    Selector selector = selector();
    selector.wakeup();
    assertThat(selector.select()).isZero();
    selector.wakeup();
    assertThat(selector.select(60_000)).isZero();
    selector.wakeup();
    assertThat(selector.select(_ -> {})).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aWakeupDuringEndsTheSelect(Task.Kind kind) throws Exception {
    Selector selector = selector();
    for (int i = 0; i < 3; i++) {
      Task<Integer> selecting = kind.start(selector::select);
      selecting.awaitBlocked("select");
      assertThat(selector.wakeup()).isSameAs(selector);
      assertThat(selecting.join()).isZero();
    }
  }

  @Test
  void aWakeupDuringASelectWithAnActionEndsIt() throws Exception {
    Selector selector = selector();
    Task<Integer> selecting = Task.start(() -> selector.select(_ -> {}, 0));
    selecting.awaitBlocked("select");
    selector.wakeup();
    assertThat(selecting.join()).isZero();
  }

  @Test
  void manyWakeupsAreOne() throws Exception {
    Selector selector = selector();
    for (int i = 0; i < 10_000; i++) {
      selector.wakeup();
    }
    assertThat(selector.select()).isZero();
    assertWaits(selector);
  }

  @Test
  void selectNowConsumesAWakeup() throws Exception {
    Selector selector = selector();
    selector.wakeup();
    assertThat(selector.selectNow()).isZero();
    assertWaits(selector);
  }

  @Test
  void aWakeupIsNotLostBesideAReadyChannel() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, java.nio.channels.SelectionKey.OP_READ);
    send(link.far(), "x");
    selector.wakeup();
    int count = selector.select();
    if (count == 0) {
      count = selector.select();
    }
    assertThat(count).isEqualTo(1);
    readFully(link.near(), 1);
    selector.selectedKeys().clear();
    selector.selectNow();
    assertWaits(selector);
  }

  @Test
  void wakeupsByManyThreadsNeverLeaveASelectAsleep() throws Exception {
    Selector selector = selector();
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    Task<Boolean> selecting =
        Task.start(() -> {
          while (!stop.get()) {
            selector.select();
            seen.set(asked.get());
          }
          return true;
        });
    Task<?>[] wakers = new Task<?>[4];
    for (int t = 0; t < wakers.length; t++) {
      wakers[t] =
          Task.start(() -> {
            for (int i = 0; i < 500; i++) {
              int mine = asked.incrementAndGet();
              selector.wakeup();
              if (i % 50 == 0) {
                Await.until("the wakeup", () -> seen.get() >= mine);
              }
            }
            return true;
          });
    }
    for (Task<?> waker : wakers) {
      waker.join();
    }
    stop.set(true);
    selector.wakeup();
    assertThat(selecting.join()).isTrue();
  }

  @Test
  void aWakeupByTheSelectingThreadItselfCounts() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, java.nio.channels.SelectionKey.OP_WRITE);
    assertThat(selector.select(_ -> selector.wakeup(), 30_000)).isEqualTo(1);
    link.near().keyFor(selector).interestOps(0);
    assertThat(selector.select()).isZero();
  }

  private static void assertWaits(Selector selector) throws Exception {
    long start = System.nanoTime();
    assertThat(selector.select(50)).isZero();
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(40));
  }
}
