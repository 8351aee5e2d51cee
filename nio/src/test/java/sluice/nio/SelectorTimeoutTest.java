package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// How long a select waits, and that an interrupt ends it.
class SelectorTimeoutTest extends Scenario {
  @ParameterizedTest
  @ValueSource(longs = {1, 20, 120})
  void aSelectWaitsAtLeastItsTime(long millis) throws Exception {
    Selector selector = selector();
    register(link().near(), selector, SelectionKey.OP_READ);
    long start = System.nanoTime();
    assertThat(selector.select(millis)).isZero();
    // A millisecond less is within the rounding of clocks.
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(millis - 1));
    start = System.nanoTime();
    assertThat(selector.select(_ -> {}, millis)).isZero();
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(millis - 1));
  }

  @Test
  void zeroMeansForEver() throws Exception {
    Selector selector = selector();
    Task<Integer> selecting = Task.start(() -> selector.select(0));
    selecting.awaitBlocked("select");
    assertThat(selecting.isDone()).isFalse();
    selector.wakeup();
    assertThat(selecting.join()).isZero();
  }

  @Test
  void timesBelowZeroAreRefused() throws Exception {
    Selector selector = selector();
    assertThatThrownBy(() -> selector.select(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> selector.select(_ -> {}, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theLongestTimesAreAccepted() throws Exception {
    Selector selector = selector();
    for (long millis : new long[] {Integer.MAX_VALUE, 1L << 40, Long.MAX_VALUE}) {
      selector.wakeup();
      assertThat(selector.select(millis)).isZero();
      Task<Integer> selecting = Task.start(() -> selector.select(millis));
      selecting.awaitBlocked("select");
      selector.wakeup();
      assertThat(selecting.join()).isZero();
    }
  }

  @Test
  void selectNowNeverWaits() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_READ);
    assertThat(selector.selectNow()).isZero();
    send(link.far(), "now");
    Await.until("a key that is ready", () -> selector.selectNow() == 1);
    assertThat(selector.selectedKeys()).containsExactly(key);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptBeforeEndsTheSelectAtOnce(Task.Kind kind) throws Exception {
    Selector selector = selector();
    Task<Boolean> selecting =
        kind.start(() -> {
          Thread.currentThread().interrupt();
          return selector.select() == 0 && Thread.currentThread().isInterrupted();
        });
    assertThat(selecting.join()).isTrue();
    assertThat(selector.isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptDuringEndsTheSelectAndStaysSet(Task.Kind kind) throws Exception {
    Selector selector = selector();
    Task<Boolean> selecting =
        kind.start(() -> selector.select() == 0 && Thread.currentThread().isInterrupted());
    selecting.awaitBlocked("select");
    selecting.thread().interrupt();
    assertThat(selecting.join()).isTrue();
    assertThat(selector.isOpen()).isTrue();
  }

  @Test
  void anInterruptedThreadStillFindsReadyChannels() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, SelectionKey.OP_WRITE);
    Task<Boolean> selecting =
        Task.start(() -> {
          Thread.currentThread().interrupt();
          int count = selector.select();
          return count == 1 && Thread.interrupted() && selector.selectedKeys().size() == 1;
        });
    assertThat(selecting.join()).isTrue();
  }
}
