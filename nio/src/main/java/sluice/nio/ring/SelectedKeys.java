package sluice.nio.ring;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/// The set of selected keys of one selector. It is backed by an array in which each key stores its
/// own index, so that no memory is allocated per key. The set is owned by the thread that holds the
/// selector. Applications synchronize on it, as the interface requires, and may remove keys but not
/// add any.
final class SelectedKeys extends AbstractSet<SelectionKey> {
  private NioKey[] keys = new NioKey[64];
  private int size;
  private int changes;

  /// Adds a key that is not yet in the set.
  void put(NioKey key) {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
    }
    key.selectedAt = size;
    keys[size++] = key;
    changes++;
  }

  boolean has(NioKey key) {
    return key.selectedAt >= 0;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean contains(Object object) {
    return object instanceof NioKey key && indexOf(key) >= 0;
  }

  private int indexOf(NioKey key) {
    int at = key.selectedAt;
    return at >= 0 && at < size && keys[at] == key ? at : -1;
  }

  @Override
  public boolean remove(Object object) {
    if (object instanceof NioKey key && indexOf(key) >= 0) {
      removeAt(key.selectedAt);
      return true;
    }
    return false;
  }

  @SuppressWarnings("NullAway") // the end of the array holds no keys
  private void removeAt(int at) {
    NioKey last = keys[--size];
    keys[at].selectedAt = -1;
    keys[size] = null;
    if (at < size) {
      keys[at] = last;
      last.selectedAt = at;
    }
    changes++;
  }

  @Override
  @SuppressWarnings("NullAway") // as removeAt
  public void clear() {
    for (int i = 0; i < size; i++) {
      keys[i].selectedAt = -1;
      keys[i] = null;
    }
    size = 0;
    changes++;
  }

  /// Returns an iterator that runs from the end to the start. When a key is removed, the key that
  /// is moved to its position has therefore already been visited.
  @Override
  public Iterator<SelectionKey> iterator() {
    return new Iterator<>() {
      private int next = size - 1;
      private int last = -1;
      private int expected = changes;

      @Override
      public boolean hasNext() {
        return next >= 0;
      }

      @Override
      public SelectionKey next() {
        check();
        if (next < 0) {
          throw new NoSuchElementException();
        }
        last = next--;
        return keys[last];
      }

      @Override
      public void remove() {
        if (last < 0) {
          throw new IllegalStateException();
        }
        check();
        removeAt(last);
        last = -1;
        expected = changes;
      }

      private void check() {
        if (expected != changes) {
          throw new ConcurrentModificationException();
        }
      }
    };
  }
}
