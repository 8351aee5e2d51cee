package sluice.fs.storage;

import java.io.IOException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.cache.FrameCache;
import sluice.fs.journal.Jbd2Journal;
import sluice.fs.journal.LogFile;
import sluice.fs.journal.LogOverlay;
import sluice.fs.journal.PlainJournal;

/// Creates journals. This class is thread-safe.
///
/// A journal that has a log receives the locations of the blocks of the log in order. The file
/// system is responsible for the inode to which these blocks belong, and for the flag that requests
/// a replay of the log (`needs_recovery`).
public final class Journals {
  private Journals() {}

  /// Returns the cache as a [FrameCache], which maintains the order of changed blocks.
  private static FrameCache ours(BufferCache cache) {
    if (cache instanceof FrameCache frames) {
      return frames;
    }
    throw new IllegalArgumentException(
        cache.getClass().getName()
            + " was not opened by BufferCaches; it needs a journal of its own");
  }

  /// Creates a journal without a log. Changes reach the device in any order, and are durable after
  /// a sync.
  ///
  /// @param cache a cache that was opened by [BufferCaches]; its owner must close it after the
  ///   journal
  public static Journal plain(BufferCache cache) {
    return new PlainJournal(ours(cache));
  }

  /// Opens a JBD2 log after replaying its content.
  ///
  /// @param cache a cache that was opened by [BufferCaches]; its owner must close it after the
  ///   journal
  /// @param places the block numbers of the log in order, which are copied
  /// @throws sluice.fs.FsException `EUCLEAN` if the log is inconsistent, `EOPNOTSUPP` with their
  ///   names if the log has unknown features, or `EROFS` if the device was opened read-only
  public static Journal jbd2(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.open(ours(cache), places);
  }

  /// Replays a JBD2 log that was left by a crash. The log is empty afterwards.
  ///
  /// @return the number of blocks that were written to their final locations
  public static int replay(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.replay(ours(cache), places);
  }

  /// Returns a view of a device as if its JBD2 log had been replayed. Nothing is written to the
  /// device.
  ///
  /// @param places the block numbers of the log in order, which are copied
  /// @return the device itself if the log is empty; otherwise a device that has the content that
  ///   the original device would have after [#replay], and whose owner closes the original device
  /// @throws sluice.fs.FsException like [#jbd2], or `ENOMEM` if the log has more than 2^20 blocks
  public static BlockDevice overlay(BlockDevice device, int blockBytes, long[] places)
      throws IOException {
    LogOverlay overlay = LogOverlay.over(device, blockBytes, places, LogOverlay.MOST_BLOCKS);
    return overlay.laid() == 0 ? device : overlay;
  }

  /// Returns the number of blocks that an overlay reads from the log, or 0 for other devices.
  public static int overlaid(BlockDevice device) {
    return device instanceof LogOverlay overlay ? overlay.laid() : 0;
  }

  /// Checks the superblock of a JBD2 log without changing anything.
  ///
  /// @param places the block numbers of the log in order
  /// @throws sluice.fs.FsException like [#jbd2]
  public static void check(BlockDevice device, int blockBytes, long[] places) throws IOException {
    try (LogFile log = LogFile.open(device, blockBytes, places)) {
      log.requireSound();
    }
  }

  /// Writes an empty log that uses revoke records and checksums (version 3).
  ///
  /// @param places the block numbers of the log, at least 64
  /// @param uuid the 16 bytes that are used as the seed of the checksums
  public static void create(BlockDevice device, int blockBytes, long[] places, byte[] uuid)
      throws IOException {
    LogFile.create(device, blockBytes, places, uuid);
  }
}
