package sluice.http.files;

import java.lang.foreign.MemorySegment;
import sluice.sys.CacheStat;
import sluice.sys.Files;

/// A file that is open for reading. Any thread may call; its opener closes it, once.
///
/// Results are those of the kernel: not negative, or a negated errno.
interface FileHandle extends AutoCloseable {
  long PAGE_BYTES = 4096;

  /// The descriptor, for `sendfile(2)`; -1 where the implementation has none, then only [#read]
  /// reaches the bytes.
  int fd();

  /// @return 0 or a negated errno
  int status(FileStatus into);

  /// Reads at `position`.
  ///
  /// @param offset where in `target` the bytes go
  /// @return bytes read, less than `length` only at the end of the file or by a signal; 0 at the
  ///   end; or a negated errno
  int read(MemorySegment target, long offset, int length, long position);

  /// Whether the pages of the range are in memory. Asks `cachestat(2)`; where the kernel has none
  /// (before 6.5) it is assumed.
  ///
  /// @param scratch overwritten
  default boolean resident(long position, long length, CacheStat scratch) {
    if (Files.cachestat(fd(), position, length, scratch) != 0) {
      return true;
    }
    long pages = ((position + length + PAGE_BYTES - 1) / PAGE_BYTES) - position / PAGE_BYTES;
    return scratch.cached() >= pages;
  }

  /// Returns when every `write(2)` to the file that had already begun has ended, where the file
  /// system can tell; otherwise at once.
  ///
  /// A write sets the modification time first and copies its bytes afterwards. A reader that finds
  /// equal times before and after its read therefore knows that no write *began* in between, but
  /// not that none was under way from before; this closes the gap.
  void settle();

  @Override
  void close();
}
