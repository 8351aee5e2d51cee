package sluice.fs.ext2;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.BufferCaches;
import sluice.fs.block.Journals;
import sluice.memory.Account;
import sluice.memory.Block;
import sluice.sys.Errno;

/// Finds the journal of an image, and keeps the flag that says that it may have to be replayed. Of
/// whoever mounts and closes the tree.
///
/// The flag goes to the device by itself, not through the journal: Linux throws away the log of an
/// image without it.
final class JournalMount {
  private static final int MAX_BLOCKS = 1 << 22;

  /// Blocks that are in memory while the journal's inode is looked for.
  private static final long FRAMES_TO_LOOK = 256;

  private JournalMount() {}

  /// Where the blocks of the log are, in its order.
  ///
  /// @throws FsException `EUCLEAN` when the journal's inode contradicts itself
  static long[] places(Geometry geometry, BufferCache cache) throws IOException {
    Volume volume = new Volume(geometry, cache, Journals.plain(cache), "its journal is looked for");
    int number = geometry.journalInode;
    Inode inode = new InodeTable(volume).loadAny(number);
    long blocks = inode.size >> geometry.blockShift;
    if (!inode.isRegular() || inode.links == 0 || blocks < 1 || blocks > MAX_BLOCKS) {
      throw FsException.corrupt(number, -1, "no journal: " + inode.size + " bytes");
    }
    if (blocks > geometry.blocks) {
      throw FsException.corrupt(number, -1, "a journal longer than the image");
    }
    BlockMap map = new BlockMap(volume, new BlockAllocator(volume), 64);
    long[] places = new long[(int) blocks];
    for (int i = 0; i < places.length; i++) {
      places[i] = map.map(inode, i);
      if (places[i] == 0) {
        throw FsException.corrupt(number, -1, "a journal with a hole at its block " + i);
      }
    }
    return places;
  }

  /// The device as it is after its log has been replayed, without a change to it.
  ///
  /// @return the device itself where no crash has left anything to be replayed
  /// @throws FsException `EROFS` when the log is on another device; else as [Journals#jbd2], and
  ///   `ENOMEM` when the log holds more than is kept in memory
  static BlockDevice replayedInMemory(BlockDevice device, Geometry geometry) throws IOException {
    if ((geometry.incompatible & Features.NEEDS_RECOVERY) == 0) {
      return device;
    }
    if (geometry.journalInode == 0) {
      throw FsException.of(
          Errno.EROFS,
          "the log that a crash left is on another device; Fix: e2fsck -p, which replays it");
    }
    int bytes = geometry.blockBytes;
    long[] places;
    try (BufferCache cache = BufferCaches.open(device, bytes, FRAMES_TO_LOOK * bytes)) {
      places = places(geometry, cache);
    }
    return Journals.overlay(device, bytes, places);
  }

  /// Says on the device whether the log may hold what is nowhere else.
  static void setNeedsRecovery(BlockDevice device, boolean needed) throws IOException {
    int bytes = 4096;
    Block block = Block.allocate(new Account("superblock", bytes), bytes);
    if (block == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for a superblock");
    }
    try {
      device.read(0, block, 0, bytes);
      var b = block.segment().asByteBuffer().order(java.nio.ByteOrder.LITTLE_ENDIAN);
      int at = SuperblockLayout.POSITION + SuperblockLayout.INCOMPATIBLE;
      int features = b.getInt(at);
      int wanted =
          needed ? features | Features.NEEDS_RECOVERY : features & ~Features.NEEDS_RECOVERY;
      if (wanted != features) {
        b.putInt(at, wanted);
        device.write(0, block, 0, bytes);
        device.flush();
      }
    } finally {
      block.release();
    }
  }
}
