package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Collects the errors of a series of steps that continues after an error. This class is not
/// thread-safe.
final class CollectedErrors {
  private static final int MOST_SHOWN = 8;

  private @Nullable IOException first;
  private int count;

  void add(IOException failure) {
    count++;
    if (first == null) {
      first = failure;
    } else if (count <= MOST_SHOWN && first != failure) {
      first.addSuppressed(failure);
    }
  }

  void raise() throws IOException {
    if (first != null) {
      throw first;
    }
  }
}
