package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.util.Objects;

/// A view of a [ViBuffer] that accesses it in place as floating-point numbers in native byte order.
/// Only one thread at a time may use it. Every access is checked.
public final class ViDoubles {
  private final ViewStorage storage;

  ViDoubles(ViewStorage storage) {
    this.storage = storage;
  }

  /// Returns the number of values that fit into the buffer.
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
