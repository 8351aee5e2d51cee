package sluice.http.files;

import java.lang.foreign.MemorySegment;
import sluice.sys.CacheStat;
import sluice.sys.Files;

/// A file that is open for reading. Any thread may call; its opener closes it, once.
///
/// Results are as from the kernel: zero or positive, or a negated errno.
interface FileHandle extends AutoCloseable {
  long PAGE_BYTES = 4096;

  /// Returns the descriptor for `sendfile(2)`, or -1 if the implementation has none; then only
  /// [#read] reaches the bytes.
  int fd();

  /// Fills `into` with the file's state.
  ///
  /// @return 0 or a negated errno
  int status(FileStatus into);

  /// Reads at `position`.
  ///
  /// @param offset the offset in `target` at which the bytes are stored
  /// @return bytes read, less than `length` only at the end of the file or after a signal; 0 at the
  ///   end; or a negated errno
  int read(MemorySegment target, long offset, int length, long position);

  /// Returns true if all pages of the range are in the page cache, by `cachestat(2)`. Kernels
  /// before 6.5 do not have that call; on them the answer is always true.
  ///
  /// @param scratch overwritten
  default boolean resident(long position, long length, CacheStat scratch) {
    if (Files.cachestat(fd(), position, length, scratch) != 0) {
      return true;
    }
    long pages = ((position + length + PAGE_BYTES - 1) / PAGE_BYTES) - position / PAGE_BYTES;
    return scratch.cached() >= pages;
  }

  /// Waits for every `write(2)` to the file that has already begun, if the file system can tell;
  /// otherwise returns at once.
  ///
  /// A write sets the modification time first and copies its bytes afterwards. A reader that finds
  /// equal times before and after its read therefore knows that no write *began* in between, but a
  /// write that began earlier may still be copying. This method closes that gap.
  void settle();

  @Override
  void close();
}
