package sluice.bench.iozone;

import java.io.Closeable;
import java.io.IOException;

/// The files that `bench iozone` writes and reads again and again, one open at a time. Used by the
/// main thread of a worker, which has only one implementation loaded.
interface IozoneTarget extends Closeable {
  /// Records are no longer than this.
  int MAX_RECORD_BYTES = 16 << 20;

  /// Files of one pass of first writes.
  int FILES = 64;

  /// Makes a file, which is not there, and opens it.
  ///
  /// @param index from 0 to [#FILES] - 1
  void create(int index) throws IOException;

  /// Opens file 0 for reading and writing, as `open(2)` with the rights asked for.
  void open() throws IOException;

  /// Closes the open file if there is one.
  void shut() throws IOException;

  /// Removes a file if it is there; it is not open.
  void remove(int index) throws IOException;

  void write(long position, int bytes) throws IOException;

  /// Reads into the buffer.
  void read(long position, int bytes) throws IOException;

  /// Reads without a copy.
  ///
  /// @throws UnsupportedOperationException where that is impossible
  default void readSlices(long position, int bytes) throws IOException {
    throw new UnsupportedOperationException("slices");
  }

  /// Makes the file empty.
  void truncate() throws IOException;

  /// As `fsync(2)`.
  void sync() throws IOException;

  /// The first bytes of the buffer that is written and read.
  void mark(long value);

  long marked();
}
