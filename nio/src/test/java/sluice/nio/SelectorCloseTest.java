package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Closing a selector that is in use, from outside and from inside.
class SelectorCloseTest extends Scenario {
  @ParameterizedTest
  @EnumSource
  void closingEndsASelect(Task.Kind kind) throws Exception {
    Selector selector = selector();
    register(link().near(), selector, SelectionKey.OP_READ);
    Task<Integer> selecting = kind.start(selector::select);
    selecting.awaitBlocked("select");
    selector.close();
    assertEnded(selecting, selector);
  }

  @Test
  void closingEndsASelectWithAnAction() throws Exception {
    Selector selector = selector();
    Task<Integer> selecting = Task.start(() -> selector.select(_ -> {}, 60_000));
    selecting.awaitBlocked("select");
    selector.close();
    assertEnded(selecting, selector);
  }

  @Test
  void anActionMayCloseItsSelector() throws IOException {
    for (int i = 0; i < 20; i++) {
      Selector selector = nio().openSelector();
      Pair pair = pair();
      SelectionKey near = register(pair.near(), selector, SelectionKey.OP_WRITE);
      SelectionKey far = register(pair.far(), selector, SelectionKey.OP_WRITE);
      assertThatThrownBy(() -> selector.select(_ -> close(selector), 30_000))
          .isInstanceOf(ClosedSelectorException.class);
      assertThat(selector.isOpen()).isFalse();
      assertThat(near.isValid()).isFalse();
      assertThat(far.isValid()).isFalse();
      pair.near().close();
      pair.far().close();
    }
  }

  @Test
  void closingAtAnyMomentOfABusySelectIsHarmless() throws Exception {
    for (int i = 0; i < 30; i++) {
      Selector selector = nio().openSelector();
      Pair pair = pair();
      register(pair.near(), selector, SelectionKey.OP_WRITE);
      Task<Integer> selecting =
          Task.start(() -> {
            int turns = 0;
            while (true) {
              turns += selector.select(_ -> {}, 1000);
            }
          });
      for (int spin = 0; spin < i * 1000; spin++) {
        Thread.onSpinWait();
      }
      selector.close();
      assertThat(selecting.failure()).isInstanceOf(ClosedSelectorException.class);
      pair.near().close();
      pair.far().close();
    }
  }

  @Test
  void twoThreadsMayCloseAtOnce() throws Exception {
    for (int i = 0; i < 20; i++) {
      Selector selector = nio().openSelector();
      Task<Integer> selecting = Task.start(selector::select);
      Task<Boolean> one = Task.start(() -> close(selector));
      Task<Boolean> two = Task.start(() -> close(selector));
      one.join();
      two.join();
      assertEnded(selecting, selector);
    }
  }

  @Test
  void keysOfAClosedSelectorStayHarmless() throws IOException {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, SelectionKey.OP_READ);
    selector.close();
    key.cancel();
    assertThat(key.selector()).isSameAs(selector);
    assertThat(key.channel().isOpen()).isTrue();
    key.channel().close();
    assertThat(key.toString()).isNotEmpty();
  }

  /// The select that was under way returns as after a wake-up, or says what happened; the next one
  /// is refused.
  private static void assertEnded(Task<Integer> selecting, Selector selector) throws Exception {
    Throwable failure = selecting.outcome();
    if (failure != null) {
      assertThat(failure).isInstanceOf(ClosedSelectorException.class);
    }
    assertThatThrownBy(selector::selectNow).isInstanceOf(ClosedSelectorException.class);
  }

  private static boolean close(Selector selector) {
    try {
      selector.close();
      return true;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
