package sluice.fs.ext2;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.LongStream;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.BlockRuns;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Locates the journal of an image and maintains the flag that requests a replay. Instances are
/// confined to the thread that mounts and closes the tree.
///
/// While a log is being read or is open, it requires up to 40 bytes of memory for each of its
/// blocks.
///
/// The flag is written directly to the device and not through the journal, because Linux discards
/// the log of an image that does not have the flag.
final class JournalMount {
  private static final int MAX_BLOCKS = 1 << 22;

  /// The initial capacity for the block numbers of the log.
  private static final int PLACES = 1024;

  /// The number of blocks that are cached while the journal's inode is read.
  private static final long FRAMES_TO_LOOK = 256;

  private static final long FRAMES_TO_MOUNT = 4096;

  private JournalMount() {}

  /// Returns the device blocks of the log in log order.
  ///
  /// @throws FsException `EUCLEAN` if the journal's inode is inconsistent
  static long[] places(Geometry geometry, BufferCache cache) throws IOException {
    Volume volume = new Volume(geometry, cache, Journals.plain(cache), "its journal is looked for");
    return places(new BlockMap(volume, new BlockAllocator(volume), 64), journal(volume), geometry);
  }

  private static Inode journal(Volume volume) throws IOException {
    Geometry geometry = volume.geometry;
    int number = geometry.journalInode;
    Inode inode = new InodeTable(volume).loadAny(number);
    long blocks = inode.size >> geometry.blockShift;
    if (!inode.isRegular() || inode.links == 0 || blocks < 1 || blocks > MAX_BLOCKS) {
      throw FsException.corrupt(number, -1, "no journal: " + inode.size + " bytes");
    }
    if (blocks > geometry.blocks) {
      throw FsException.corrupt(number, -1, "a journal longer than the image");
    }
    return inode;
  }

  /// Returns the device blocks of the log. The required memory depends on the number of blocks that
  /// exist and not on the length that is stored in the inode. The array grows only after its blocks
  /// have been found to be distinct, so each of them has its own pointer.
  private static long[] places(BlockMap map, Inode inode, Geometry geometry) throws IOException {
    int count = (int) (inode.size >> geometry.blockShift);
    long[] places = new long[Math.min(count, PLACES)];
    for (int i = 0; i < count; i++) {
      if (i == places.length) {
        requireDifferent(places, inode);
        places = Arrays.copyOf(places, Math.min(count, 2 * i));
      }
      places[i] = map.map(inode, i);
      if (places[i] == 0) {
        throw FsException.corrupt(inode.number, -1, "a journal with a hole at its block " + i);
      }
    }
    requireDifferent(places, inode);
    return places;
  }

  private static void requireDifferent(long[] places, Inode inode) throws FsException {
    long[] sorted = places.clone();
    Arrays.sort(sorted);
    for (int i = 1; i < sorted.length; i++) {
      if (sorted[i] == sorted[i - 1]) {
        throw FsException.corrupt(inode.number, sorted[i], "a journal that has the block twice");
      }
    }
  }

  /// Prevents files from using the blocks of the journal, including its indirect blocks.
  ///
  /// @throws FsException `EUCLEAN` if the journal's inode is inconsistent
  static void protect(Volume volume) throws IOException {
    if (volume.geometry.journalInode == 0) {
      return;
    }
    try {
      volume.groups.protect(new BlockRuns(allBlocks(volume)));
    } catch (FsException e) {
      if (e.errno() != Errno.EUCLEAN || !volume.mountedReadOnly()) {
        throw e; // a read-only mount works without a journal
      }
    }
  }

  private static long[] allBlocks(Volume volume) throws IOException {
    Inode inode = journal(volume);
    BlockMap map = new BlockMap(volume, new BlockAllocator(volume), 64);
    long[] places = places(map, inode, volume.geometry);
    LongStream.Builder pointers = LongStream.builder();
    long logical = InodeLayout.DIRECT_BLOCKS;
    while (logical < places.length) {
      map.pointersTo(inode, logical, pointers);
      logical += map.sameLeaf(logical);
    }
    long[] leading = pointers.build().toArray();
    long[] all = Arrays.copyOf(places, places.length + leading.length);
    System.arraycopy(leading, 0, all, places.length, leading.length);
    return all;
  }

  /// Returns a view of the device as if its log had been replayed. The device itself is not
  /// changed.
  ///
  /// @return the view, or the device itself if there is nothing to replay
  /// @throws FsException `EROFS` if the log is on another device, `ENOMEM` if the log has more
  ///   blocks than fit into memory, or as described in [Journals#jbd2]
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

  /// Returns a view of the device as it will be after the next writable mount: its log has been
  /// replayed, and files that have no name have been freed. All changes are kept in memory.
  ///
  /// @param mostBytes the maximum amount of memory for changes in addition to the log
  /// @return the view, or the argument if the image cannot be mounted for writing or is rejected by
  ///   the mount, in which case the caller's check reports the reason
  static BlockDevice asNextMounted(BlockDevice replayed, long mostBytes) throws IOException {
    Geometry geometry = Geometry.of(Ext2.readSuperblock(replayed), replayed.lengthBytes());
    if (!geometry.whyReadOnly().isEmpty()) {
      return replayed;
    }
    BlockDevice scratch = BlockDevices.scratch(replayed, mostBytes);
    int bytes = geometry.blockBytes;
    try (BufferCache cache = BufferCaches.open(scratch, bytes, FRAMES_TO_MOUNT * bytes)) {
      setNeedsRecovery(scratch, false);
      MountOptions options = MountOptions.defaults();
      Ext2.mount(scratch, cache, Journals.plain(cache), options).close();
      return scratch;
    } catch (FsException e) {
      scratch.close();
      return replayed;
    }
  }

  /// Sets or clears the flag on the device that requests a replay of the log.
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
