package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.util.Objects;

/// A view of a [ViBuffer] that accesses it in place as 32-bit integers in native byte order. Only
/// one thread at a time may use it. Every access is checked.
public final class ViInts {
  private final ViewStorage storage;

  ViInts(ViewStorage storage) {
    this.storage = storage;
  }

  /// Returns the number of values that fit into the buffer.
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
