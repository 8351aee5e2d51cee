package sluice.bench.iozone;

import java.io.Closeable;
import java.io.IOException;

/// The files that `bench iozone` writes and reads again and again, one open at a time. Used by the
/// main thread of a worker, which has only one implementation loaded.
interface IozoneTarget extends Closeable {
  /// The greatest length of a record.
  int MAX_RECORD_BYTES = 16 << 20;

  /// The number of files in one pass of first writes.
  int FILES = 64;

  /// Creates a file, which does not exist, and opens it.
  ///
  /// @param index from 0 to [#FILES] - 1
  void create(int index) throws IOException;

  /// Opens file 0 for reading and writing, and checks the rights as `open(2)` does.
  void open() throws IOException;

  /// Closes the open file if there is one.
  void shut() throws IOException;

  /// Removes a file if it exists; it is not open.
  void remove(int index) throws IOException;

  void write(long position, int bytes) throws IOException;

  /// Reads into the buffer.
  void read(long position, int bytes) throws IOException;

  /// Reads without a copy.
  ///
  /// @throws UnsupportedOperationException if that is impossible
  default void readSlices(long position, int bytes) throws IOException {
    throw new UnsupportedOperationException("slices");
  }

  /// Truncates the file to length 0.
  void truncate() throws IOException;

  /// Writes the file to its device, as `fsync(2)` does.
  void sync() throws IOException;

  /// Sets the first bytes of the buffer that is written and read.
  void mark(long value);

  long marked();
}
