package sluice.fs.journal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.fs.cache.FrameCache;
import sluice.sys.Errno;

/// Takes the blocks that a log holds for other places, in the order of the log. Of the thread that
/// replays.
interface LogTarget {
  /// Blocks of the device.
  long blocks();

  /// Takes one; what came for the same place before is outdated.
  ///
  /// @param number its place on the device
  /// @param index where in the log its content is
  /// @param escaped whether the log's own mark, with which it begins, is zeros in the log
  /// @param content as it is to be, until the call returns
  void take(long number, int index, boolean escaped, MemorySegment content) throws IOException;

  /// All have been taken.
  void end() throws IOException;

  /// Blocks that a log may revoke: each takes memory, [LongIntMap#ENTRY_BYTES] at most.
  int mostRevoked();

  /// What is thrown when it revokes more.
  FsException tooManyRevoked();

  /// A mount that writes: through the cache to their places.
  ///
  /// @param cache of the device
  record Places(FrameCache cache) implements LogTarget {
    private static final int MOST_REVOKED = 1 << 29;

    @Override
    public long blocks() {
      return cache.blocks();
    }

    @Override
    public void take(long number, int index, boolean escaped, MemorySegment content)
        throws IOException {
      cache.throttle();
      cache.overwrite(number, content);
    }

    @Override
    public void end() throws IOException {
      cache.sync();
    }

    /// As many as a quarter of the heap has room for.
    @Override
    public int mostRevoked() {
      long room = Runtime.getRuntime().maxMemory() / 4 / LongIntMap.ENTRY_BYTES;
      return (int) Math.min(room, MOST_REVOKED);
    }

    @Override
    public FsException tooManyRevoked() {
      return FsException.of(
          Errno.ENOMEM,
          "the log that a crash left revokes more than "
              + mostRevoked()
              + " blocks, for which a quarter of the heap has room; Fix: a larger heap (-Xmx), or"
              + " e2fsck -p, which replays the log");
    }
  }
}
