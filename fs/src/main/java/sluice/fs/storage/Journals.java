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

/// Creates journals. Safe for use by any thread.
///
/// A journal with a log is given the places of its blocks, in order. The file system manages the
/// inode to which they belong, and the flag that requests a replay of the log (`needs_recovery`).
public final class Journals {
  private Journals() {}

  /// Returns the cache as a [FrameCache], which keeps the order of changed blocks.
  private static FrameCache ours(BufferCache cache) {
    if (cache instanceof FrameCache frames) {
      return frames;
    }
    throw new IllegalArgumentException(
        cache.getClass().getName()
            + " was not opened by BufferCaches; it needs a journal of its own");
  }

  /// Creates a journal without a log: changes reach the device in any order, and are stable after a
  /// sync.
  ///
  /// @param cache opened by [BufferCaches]; closed by its owner, after the journal
  public static Journal plain(BufferCache cache) {
    return new PlainJournal(ours(cache));
  }

  /// Opens a JBD2 log, after a replay of its content.
  ///
  /// @param cache opened by [BufferCaches]; closed by its owner, after the journal
  /// @param places the block numbers of the log, in order; copied
  /// @throws sluice.fs.FsException `EUCLEAN` if the log contradicts itself, `EOPNOTSUPP` for
  ///   unknown features, by name, `EROFS` on a device opened for reading
  public static Journal jbd2(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.open(ours(cache), places);
  }

  /// Replays a JBD2 log that a crash has left, and leaves it empty.
  ///
  /// @return the number of blocks written to their places
  public static int replay(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.replay(ours(cache), places);
  }

  /// Returns a view of a device as it is after a replay of its JBD2 log. Nothing is written.
  ///
  /// @param places the block numbers of the log, in order; copied
  /// @return the device itself if the log is empty; else a device that reads as [#replay] would
  ///   leave it; its owner closes the original device
  /// @throws sluice.fs.FsException as [#jbd2]; `ENOMEM` if the log has more than 2^20 blocks
  public static BlockDevice overlay(BlockDevice device, int blockBytes, long[] places)
      throws IOException {
    LogOverlay overlay = LogOverlay.over(device, blockBytes, places, LogOverlay.MOST_BLOCKS);
    return overlay.laid() == 0 ? device : overlay;
  }

  /// Returns the number of blocks that an overlay reads from the log; 0 for other devices.
  public static int overlaid(BlockDevice device) {
    return device instanceof LogOverlay overlay ? overlay.laid() : 0;
  }

  /// Checks the superblock of a JBD2 log. Changes nothing.
  ///
  /// @param places the block numbers of the log, in order
  /// @throws sluice.fs.FsException as [#jbd2]
  public static void check(BlockDevice device, int blockBytes, long[] places) throws IOException {
    try (LogFile log = LogFile.open(device, blockBytes, places)) {
      log.requireSound();
    }
  }

  /// Writes an empty log, with revoke records and checksums (version 3).
  ///
  /// @param places the block numbers of the log, at least 64
  /// @param uuid 16 bytes, the seed of the checksums
  public static void create(BlockDevice device, int blockBytes, long[] places, byte[] uuid)
      throws IOException {
    LogFile.create(device, blockBytes, places, uuid);
  }
}
