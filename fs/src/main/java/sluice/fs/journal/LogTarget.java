package sluice.fs.journal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.fs.cache.FrameCache;
import sluice.sys.Errno;

/// Receives the blocks of a log in log order. All methods are called by the thread that replays the
/// log.
interface LogTarget {
  /// Returns the number of blocks of the device.
  long blocks();

  /// Receives a block, which replaces any earlier content of the same block.
  ///
  /// @param number the block number on the device
  /// @param index the index of the content in the log
  /// @param escaped true if the content begins with the magic number of the log, which is stored as
  ///   zeros in the log
  /// @param content the content, which is valid until the call returns
  void take(long number, int index, boolean escaped, MemorySegment content) throws IOException;

  /// Completes the replay after all blocks have been received.
  void end() throws IOException;

  /// Returns the maximum number of blocks that may be revoked by a log. Each of them requires up to
  /// [LongIntMap#ENTRY_BYTES] of memory.
  int mostRevoked();

  /// Returns the exception for a log that revokes too many blocks.
  FsException tooManyRevoked();

  /// The target that is used by a writable mount. It writes the blocks to their final locations
  /// through the cache.
  ///
  /// @param cache the cache of the device
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

    /// Returns the number of blocks that fit into a quarter of the heap.
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
