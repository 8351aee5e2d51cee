package sluice.loop.turn;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A queue of work for the next pass, first in first out: two arrays that alternate, so that adding
/// allocates nothing. Owned by the loop's thread.
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

  /// Passes everything that was added before the call to `action`. Items that `action` adds wait
  /// for the next pass.
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
