package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Selecting with an action instead of a set of selected keys.
class SelectorActionTest extends Scenario {
  @Test
  void theActionSeesEachReadyKeyOnceAndNoKeyBecomesSelected() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    SelectionKey near = register(pair.near(), selector, SelectionKey.OP_WRITE);
    SelectionKey far = register(pair.far(), selector, SelectionKey.OP_WRITE | SelectionKey.OP_READ);
    Set<SelectionKey> seen = new HashSet<>();
    List<SelectionKey> calls = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      calls.clear();
      int count =
          selector.select(key -> {
            seen.add(key);
            calls.add(key);
            assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
            assertThat(key.isWritable()).isTrue();
            assertThat(key.isReadable()).isFalse();
          });
      assertThat(count).isEqualTo(calls.size());
      assertThat(calls).doesNotHaveDuplicates();
      assertThat(selector.selectedKeys()).isEmpty();
    }
    assertThat(seen).containsExactlyInAnyOrder(near, far);
  }

  @Test
  void readyOperationsAreReplacedNotCollected() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_WRITE);
    assertThat(selector.select(_ -> {}, 30_000)).isEqualTo(1);
    key.interestOps(SelectionKey.OP_READ);
    send(link.far(), "x");
    assertThat(selector.select(_ -> {}, 30_000)).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_READ);
  }

  @Test
  void aKeyThatIsSelectedAlreadyStaysSelected() throws IOException {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    assertThat(selector.select(_ -> {}, 30_000)).isEqualTo(1);
    assertThat(selector.selectedKeys()).containsExactly(key);
  }

  @Test
  void whatTheActionThrowsComesOutAndTheSelectorGoesOn() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    register(pair.near(), selector, SelectionKey.OP_WRITE);
    register(pair.far(), selector, SelectionKey.OP_WRITE);
    RuntimeException ours = new RuntimeException("from the action");
    assertThatThrownBy(() ->
            selector.select(_ -> {
              throw ours;
            }))
        .isSameAs(ours);
    assertThat(selector.isOpen()).isTrue();
    int seen = 0;
    for (int i = 0; i < 5 && seen < 2; i++) {
      seen = selector.select(_ -> {}, 30_000);
    }
    assertThat(seen).isEqualTo(2);
    assertThat(selector.select(1000)).isEqualTo(2);
  }

  @Test
  void theActionMayNotSelectItsOwnSelector() throws IOException {
    Selector selector = selector();
    register(link().near(), selector, SelectionKey.OP_WRITE);
    int count =
        selector.select(_ -> {
          assertThatThrownBy(selector::select).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> selector.select(1)).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(selector::selectNow).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> selector.select(_ -> {}))
              .isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> selector.selectNow(_ -> {}))
              .isInstanceOf(IllegalStateException.class);
        });
    assertThat(count).isEqualTo(1);
    assertThat(selector.selectNow()).isEqualTo(1);
  }

  @Test
  void theActionMaySelectAnotherSelector() throws IOException {
    Selector outer = selector();
    Selector inner = selector();
    Pair pair = pair();
    register(pair.near(), outer, SelectionKey.OP_WRITE);
    register(pair.far(), inner, SelectionKey.OP_WRITE);
    int[] counts = new int[1];
    assertThat(outer.select(_ -> counts[0] = selectNow(inner))).isEqualTo(1);
    assertThat(counts[0]).isEqualTo(1);
  }

  @Test
  void theActionMayRegisterCancelCloseAndChangeInterest() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    Pair other = pair();
    SelectionKey key = register(pair.near(), selector, SelectionKey.OP_WRITE);
    SelectionKey[] added = new SelectionKey[1];
    selector.select(ready -> {
      ready.interestOps(0);
      added[0] = registerQuietly(other.near(), selector);
    });
    assertThat(selector.keys()).containsExactlyInAnyOrder(key, added[0]);
    List<SelectionKey> seen = new ArrayList<>();
    assertThat(
            selector.select(ready -> {
              seen.add(ready);
              ready.cancel();
              key.cancel();
            }))
        .isEqualTo(1);
    assertThat(seen).containsExactly(added[0]);
    assertThat(selector.selectNow(_ -> {})).isZero();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void anActionMayCancelKeysWhoseTurnHasNotCome() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    SelectionKey near = register(pair.near(), selector, SelectionKey.OP_WRITE);
    SelectionKey far = register(pair.far(), selector, SelectionKey.OP_WRITE);
    int count =
        selector.select(_ -> {
          near.cancel();
          far.cancel();
        });
    assertThat(count).isBetween(1, 2);
    assertThat(selector.selectNow(_ -> {})).isZero();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void thereMustBeAnAction() throws IOException {
    Selector selector = selector();
    assertThatThrownBy(() -> selector.select(nothing())).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> selector.selectNow(nothing()))
        .isInstanceOf(NullPointerException.class);
  }

  @SuppressWarnings("NullAway") // asks for the exception
  private static Consumer<SelectionKey> nothing() {
    return null;
  }

  private static int selectNow(Selector selector) {
    try {
      return selector.selectNow();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static SelectionKey registerQuietly(
      java.nio.channels.SocketChannel channel, Selector selector) {
    try {
      return register(channel, selector, SelectionKey.OP_WRITE);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
