package sluice.http.files;

import java.lang.foreign.MemorySegment;
import sluice.sys.CacheStat;
import sluice.sys.Files;

/// A file that is open for reading. Any thread may call it. The opener must close it exactly once.
///
/// Results follow the kernel's convention: they are zero or positive on success, or a negated
/// errno.
interface FileHandle extends AutoCloseable {
  long PAGE_BYTES = 4096;

  /// Returns the descriptor for `sendfile(2)`, or -1 if the implementation has none and the bytes
  /// can only be accessed by [#read].
  int fd();

  /// Stores the file's state in `into`.
  ///
  /// @return 0 or a negated errno
  int status(FileStatus into);

  /// Reads bytes at the given position of the file.
  ///
  /// @param offset the offset in `target` at which the bytes are stored
  /// @return the number of bytes read, which is less than `length` only at the end of the file or
  ///   after a signal, 0 at the end of the file, or a negated errno
  int read(MemorySegment target, long offset, int length, long position);

  /// Returns true if all pages of the range are in the page cache, according to `cachestat(2)`.
  /// Kernels before 6.5 do not support that call, in which case the result is always true.
  ///
  /// @param scratch a buffer whose contents are overwritten
  default boolean resident(long position, long length, CacheStat scratch) {
    if (Files.cachestat(fd(), position, length, scratch) != 0) {
      return true;
    }
    long pages = ((position + length + PAGE_BYTES - 1) / PAGE_BYTES) - position / PAGE_BYTES;
    return scratch.cached() >= pages;
  }

  /// Waits until every `write(2)` to the file that has already begun is complete. If the file
  /// system does not support this, the method returns immediately.
  ///
  /// A write sets the modification time before it copies its bytes. If a reader finds equal times
  /// before and after its read, it therefore knows that no write *began* in between, but a write
  /// that began earlier may still be copying. This method closes that gap.
  void settle();

  @Override
  void close();
}
