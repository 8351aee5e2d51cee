package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/// A view of a [ViBuffer] that accesses it in place as bytes. Only one thread at a time may use it.
/// Every access is checked.
public final class ViBytes {
  private final ViewStorage storage;

  ViBytes(ViewStorage storage) {
    this.storage = storage;
  }

  public int length() {
    return (int) storage.sizeBytes();
  }

  public byte get(int index) {
    return storage.use().get(JAVA_BYTE, index);
  }

  public void set(int index, byte value) {
    storage.use().set(JAVA_BYTE, index, value);
  }

  /// Copies bytes from the buffer into an array.
  public void copyTo(int from, byte[] array, int at, int count) {
    MemorySegment.copy(storage.use(), JAVA_BYTE, from, array, at, count);
  }

  /// Copies bytes from an array into the buffer.
  public void copyFrom(byte[] array, int from, int at, int count) {
    MemorySegment.copy(array, from, storage.use(), JAVA_BYTE, at, count);
  }
}
