package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.testbase.Await;

/// What may be done with the sets of keys, and how ready operations add up in them.
class SelectedKeysTest extends Scenario {
  @Test
  void selectedKeysTakeRemovalsButNoAdditions() throws IOException {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, SelectionKey.OP_WRITE);
    Set<SelectionKey> selected = selector.selectedKeys();
    assertThat(selector.select()).isEqualTo(1);
    assertThatThrownBy(() -> selected.add(key)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> selected.addAll(List.of(key)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> untyped(selected).add(new Object()))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(selected.remove(key)).isTrue();
    assertThat(selected.remove(key)).isFalse();
    assertThat(selector.select()).isEqualTo(1);
    Iterator<SelectionKey> iterator = selected.iterator();
    assertThat(iterator.next()).isSameAs(key);
    iterator.remove();
    assertThat(selected).isEmpty();
    assertThat(selector.select()).isEqualTo(1);
    assertThat(selected.removeIf(SelectionKey::isWritable)).isTrue();
    assertThat(selector.select()).isEqualTo(1);
    assertThat(selected.retainAll(Set.of())).isTrue();
    assertThat(selector.select()).isEqualTo(1);
    selected.clear();
    assertThat(selected).isEmpty();
    assertThat(key.isValid()).isTrue();
  }

  /// As code older than generics sees it.
  @SuppressWarnings("unchecked")
  private static Set<Object> untyped(Set<?> keys) {
    return (Set<Object>) keys;
  }

  @Test
  void theKeySetCannotBeChanged() throws IOException {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, SelectionKey.OP_WRITE);
    Set<SelectionKey> keys = selector.keys();
    assertThat(keys).containsExactly(key);
    assertThatThrownBy(() -> keys.remove(key)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(keys::clear).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> keys.add(key)).isInstanceOf(UnsupportedOperationException.class);
    Iterator<SelectionKey> iterator = keys.iterator();
    iterator.next();
    assertThatThrownBy(iterator::remove).isInstanceOf(UnsupportedOperationException.class);
    assertThat(keys.contains(key)).isTrue();
  }

  @Test
  void aKeyThatStaysSelectedIsCountedOnlyWhenItChanges() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key =
        register(link.near(), selector, SelectionKey.OP_WRITE | SelectionKey.OP_READ);
    assertThat(selector.select()).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.selectedKeys()).containsExactly(key);
    send(link.far(), "x");
    Await.until("one more operation", () -> selector.selectNow() == 1);
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE | SelectionKey.OP_READ);
    assertThat(selector.selectNow()).isZero();
  }

  @Test
  void readyOperationsCollectWhileTheKeyIsSelectedAndStartAnewAfterwards() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key =
        register(link.near(), selector, SelectionKey.OP_WRITE | SelectionKey.OP_READ);
    send(link.far(), "x");
    Await.until("a readable key", () -> selector.selectNow() >= 0 && key.isReadable());
    readFully(link.near(), 1);
    selector.selectNow();
    assertThat(key.isReadable()).as("still set, as the key was not removed").isTrue();
    selector.selectedKeys().clear();
    assertThat(selector.select()).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
  }

  @Test
  void anIteratorNoticesThatASelectAddedAKey() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    register(pair.near(), selector, SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
    register(pair.far(), selector, SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    assertThatThrownBy(iterator::next).isInstanceOf(ConcurrentModificationException.class);
  }

  @Test
  void closingAChannelTakesItsKeyOutWithTheNextSelect() throws IOException {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    link.near().close();
    assertThat(key.isValid()).isFalse();
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.selectedKeys()).isEmpty();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void theCountIsThatOfKeysNotOfOperations() throws Exception {
    Selector selector = selector();
    Link link = link();
    send(link.far(), "x");
    int both = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    SelectionKey key = register(link.near(), selector, both);
    Await.until(
        "both operations",
        () -> {
          selector.selectedKeys().clear();
          return selector.select(1000) == 1 && key.readyOps() == both;
        });
  }
}
