package sluice.vi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A view of a [ViBuffer] that accesses it in place as a sequence of records with primitive
/// components. Only one thread at a time may use it. Every access is checked.
///
/// The components are stored in the order of their declaration, without padding, and in native byte
/// order. A `boolean` is stored as one byte, which is 0 or 1.
public final class ViRecords<R extends Record> {
  private final ViewStorage storage;
  private final RecordCodec<R> codec;

  ViRecords(ViewStorage storage, Class<R> type) {
    this.storage = storage;
    codec = RecordCodec.of(type);
  }

  /// Returns the number of records that fit into the buffer.
  public int length() {
    return (int) (storage.sizeBytes() / codec.sizeBytes());
  }

  /// Returns the size of one record in bytes.
  public int recordBytes() {
    return codec.sizeBytes();
  }

  /// Returns the record at the given index as a new object.
  public R get(int index) {
    MemorySegment segment = storage.use();
    return codec.read(segment, at(index));
  }

  /// Writes the components of a record at the given index.
  public void set(int index, R value) {
    codec.write(storage.use(), at(index), value);
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, length()) * codec.sizeBytes();
  }
}
