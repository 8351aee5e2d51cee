package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.Objects;

/// A view of a [ViBuffer] that accesses it in place as 64-bit integers in native byte order. Only
/// one thread at a time may use it. Every access is checked.
public final class ViLongs {
  private final ViewStorage storage;

  ViLongs(ViewStorage storage) {
    this.storage = storage;
  }

  /// Returns the number of values that fit into the buffer.
  public int length() {
    return (int) (storage.sizeBytes() / Long.BYTES);
  }

  public long get(int index) {
    return storage.use().get(JAVA_LONG_UNALIGNED, at(index));
  }

  public void set(int index, long value) {
    storage.use().set(JAVA_LONG_UNALIGNED, at(index), value);
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, length()) * Long.BYTES;
  }
}
