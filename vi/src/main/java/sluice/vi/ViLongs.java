package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.Objects;

/// A [ViBuffer] as 64-bit numbers in the order of this machine, in place. Of one thread at a time;
/// every access is checked.
public final class ViLongs {
  private final ViewStorage storage;

  ViLongs(ViewStorage storage) {
    this.storage = storage;
  }

  /// How many fit.
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
