package sluice.loop.turn;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A first-in, first-out queue of work for the next pass. It consists of two alternating arrays, so
/// that adding an item allocates no memory. Owned by the loop's thread.
public final class BatchQueue<T> {
  private @Nullable Object[] adding = new @Nullable Object[256];
  private @Nullable Object[] passing = new @Nullable Object[256];
  private int size;

  public void add(T item) {
    if (size == adding.length) {
      adding = Arrays.copyOf(adding, size * 2);
    }
    adding[size++] = item;
  }

  public int size() {
    return size;
  }

  /// Passes all items added before the call to `action`. Items added by `action` wait for the next
  /// pass.
  @SuppressWarnings("unchecked") // only add() writes
  public void pass(Consumer<T> action) {
    int count = size;
    @Nullable Object[] batch = adding;
    adding = passing;
    size = 0;
    for (int i = 0; i < count; i++) {
      T item = (T) Objects.requireNonNull(batch[i]);
      batch[i] = null;
      action.accept(item);
    }
    passing = batch;
  }
}
