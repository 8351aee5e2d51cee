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

/// Makes journals. Any thread may call.
///
/// A journal with a log is given the places of its blocks, in order; whose inode they belong to,
/// and the flag that says that the log must be replayed (`needs_recovery`), are the file system's.
public final class Journals {
  private Journals() {}

  /// The order of changed blocks is kept where they are kept.
  private static FrameCache ours(BufferCache cache) {
    if (cache instanceof FrameCache frames) {
      return frames;
    }
    throw new IllegalArgumentException(
        cache.getClass().getName()
            + " was not opened by BufferCaches; it needs a journal of its own");
  }

  /// A journal without a log: what is changed reaches the device in any order, and is stable after
  /// a sync.
  ///
  /// @param cache opened by [BufferCaches]; closed by its owner, after the journal
  public static Journal plain(BufferCache cache) {
    return new PlainJournal(ours(cache));
  }

  /// Opens a log of JBD2, after carrying out what a crash has left in it.
  ///
  /// @param cache opened by [BufferCaches]; closed by its owner, after the journal
  /// @param places numbers of the blocks of the log, in its order; copied
  /// @throws sluice.fs.FsException `EUCLEAN` when the log contradicts itself, `EOPNOTSUPP` for
  ///   unknown features, by name, `EROFS` on a device opened for reading
  public static Journal jbd2(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.open(ours(cache), places);
  }

  /// Carries out what a crash has left in a log of JBD2, and leaves it empty.
  ///
  /// @return how many blocks were written to their places
  public static int replay(BufferCache cache, long[] places) throws IOException {
    return Jbd2Journal.replay(ours(cache), places);
  }

  /// Lays what a crash has left in a log of JBD2 over its device, for reading: nothing is written.
  ///
  /// @param places numbers of the blocks of the log, in its order; copied
  /// @return the device itself when the log is empty; else another that reads as the device would
  ///   after [#replay], and whose owner closes the device
  /// @throws sluice.fs.FsException as [#jbd2]; `ENOMEM` when the log holds more than 2^20 blocks
  public static BlockDevice overlay(BlockDevice device, int blockBytes, long[] places)
      throws IOException {
    LogOverlay overlay = LogOverlay.over(device, blockBytes, places, LogOverlay.MOST_BLOCKS);
    return overlay.laid() == 0 ? device : overlay;
  }

  /// How many blocks are read from a log that was laid over the device; 0 for other devices.
  public static int overlaid(BlockDevice device) {
    return device instanceof LogOverlay overlay ? overlay.laid() : 0;
  }

  /// Looks at the superblock of a log of JBD2, and changes nothing.
  ///
  /// @param places numbers of the blocks of the log, in its order
  /// @throws sluice.fs.FsException as [#jbd2]
  public static void check(BlockDevice device, int blockBytes, long[] places) throws IOException {
    try (LogFile log = LogFile.open(device, blockBytes, places)) {
      log.requireSound();
    }
  }

  /// Writes an empty log, with revoke records and checksums (version 3).
  ///
  /// @param places numbers of its blocks, at least 64
  /// @param uuid 16 bytes, the seed of its checksums
  public static void create(BlockDevice device, int blockBytes, long[] places, byte[] uuid)
      throws IOException {
    LogFile.create(device, blockBytes, places, uuid);
  }
}
