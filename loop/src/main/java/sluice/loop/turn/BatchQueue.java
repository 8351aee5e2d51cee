package sluice.loop.turn;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What is to be done in the next pass over the queue, first in first out: two arrays that
/// alternate, so that adding allocates nothing. Owned by the loop's thread.
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

  /// Hands out everything that was added before the call. What `action` adds waits for the next.
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
