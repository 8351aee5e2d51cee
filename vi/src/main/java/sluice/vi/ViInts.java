package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.util.Objects;

/// A [ViBuffer] as 32-bit numbers in the order of this machine, in place. Of one thread at a time;
/// every access is checked.
public final class ViInts {
  private final ViewStorage storage;

  ViInts(ViewStorage storage) {
    this.storage = storage;
  }

  /// How many fit.
  public int length() {
    return (int) (storage.sizeBytes() / Integer.BYTES);
  }

  public int get(int index) {
    return storage.use().get(JAVA_INT_UNALIGNED, at(index));
  }

  public void set(int index, int value) {
    storage.use().set(JAVA_INT_UNALIGNED, at(index), value);
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, length()) * Integer.BYTES;
  }
}
