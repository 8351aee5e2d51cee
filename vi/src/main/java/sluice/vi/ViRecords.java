package sluice.vi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A view of a [ViBuffer] as a sequence of records of primitive components, in place. Used by one
/// thread at a time; every access is checked.
///
/// Components are stored in their order, without padding, in native byte order; a `boolean` is one
/// byte, 0 or 1.
public final class ViRecords<R extends Record> {
  private final ViewStorage storage;
  private final RecordCodec<R> codec;

  ViRecords(ViewStorage storage, Class<R> type) {
    this.storage = storage;
    codec = RecordCodec.of(type);
  }

  /// Returns the number of records that fit.
  public int length() {
    return (int) (storage.sizeBytes() / codec.sizeBytes());
  }

  /// Returns the size of one record in bytes.
  public int recordBytes() {
    return codec.sizeBytes();
  }

  /// Returns the record at an index, as a new object.
  public R get(int index) {
    MemorySegment segment = storage.use();
    return codec.read(segment, at(index));
  }

  /// Writes the components of a record.
  public void set(int index, R value) {
    codec.write(storage.use(), at(index), value);
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, length()) * codec.sizeBytes();
  }
}
