package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.util.Objects;

/// A [ViBuffer] as floating-point numbers in the order of this machine, in place. Of one thread at
/// a time; every access is checked.
public final class ViDoubles {
  private final ViewStorage storage;

  ViDoubles(ViewStorage storage) {
    this.storage = storage;
  }

  /// How many fit.
  public int length() {
    return (int) (storage.sizeBytes() / Double.BYTES);
  }

  public double get(int index) {
    return storage.use().get(JAVA_DOUBLE_UNALIGNED, at(index));
  }

  public void set(int index, double value) {
    storage.use().set(JAVA_DOUBLE_UNALIGNED, at(index), value);
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, length()) * Double.BYTES;
  }
}
