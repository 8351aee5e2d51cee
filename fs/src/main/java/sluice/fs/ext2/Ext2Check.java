package sluice.fs.ext2;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.BufferCaches;
import sluice.fs.block.Journals;

/// Looks whether an image contradicts itself, and changes nothing: `fsck -n`. Of the thread that
/// calls; nobody may have the image mounted.
///
/// It follows every pointer and every entry once, counts, and compares with bitmaps, link counts
/// and what groups and superblock say. Repairing is e2fsck's.
///
/// Memory follows what is in use in the image: 12 bytes for an inode ([CheckedInodes]) and 24 more
/// for a directory, a bit for a block ([ClaimedBlocks]), 60 bytes for a group, besides a cache of
/// 4096 blocks. What would take more than half of the heap is refused.
public final class Ext2Check {
  private static final int MAX_PROBLEMS = 1000;

  /// A directory that waits to be followed.
  private static final long WAITING_BYTES = 24;

  private final Volume volume;
  private final Geometry geometry;
  private final Consumer<String> says;
  private final InodeTable table;
  private final Directories directories;
  private final ClaimedBlocks claims;
  private final CheckBudget budget;
  private final CheckedInodes inodes;

  /// The bitmap of inodes of the group that is being looked at.
  private final byte[] marked;

  private long problems;
  private long files;
  private long directoryCount;

  /// What was found.
  ///
  /// @param problems number of contradictions
  /// @param files inodes in use that are no directories
  /// @param directories directories
  public record Report(long problems, long files, long directories) {}

  private Ext2Check(Volume volume, CheckBudget budget, Consumer<String> says) throws FsException {
    this.volume = volume;
    this.budget = budget;
    this.says = says;
    geometry = volume.geometry;
    table = new InodeTable(volume);
    BlockAllocator allocator = new BlockAllocator(volume);
    BlockMap map = new BlockMap(volume, allocator, 256);
    directories = new Directories(volume, map, allocator, new Names(), 1 << 20);
    claims = new ClaimedBlocks(volume, budget, this::report);
    inodes = new CheckedInodes(geometry, budget);
    marked = new byte[geometry.blockBytes];
  }

  /// Checks an image; one whose log has not been replayed, as it will be after that.
  ///
  /// @param says hears each contradiction, at most a thousand
  /// @param progress hears the number of groups whose inodes are done
  /// @throws FsException when it is no ext2 or cannot be followed at all; `ENOMEM` when what is in
  ///   use in it takes more than half of the heap
  public static Report check(BlockDevice device, Consumer<String> says, LongConsumer progress)
      throws IOException {
    return check(device, CheckBudget.ofHeap(), says, progress);
  }

  static Report check(
      BlockDevice device, CheckBudget budget, Consumer<String> says, LongConsumer progress)
      throws IOException {
    Geometry geometry = Geometry.of(Ext2.readSuperblock(device), device.lengthBytes());
    BlockDevice seen = device;
    String damagedLog = "";
    try {
      seen = JournalMount.replayedInMemory(device, geometry);
      geometry = Geometry.of(Ext2.readSuperblock(seen), device.lengthBytes());
    } catch (FsException e) {
      damagedLog = String.valueOf(e.getMessage());
    }
    try (BufferCache cache =
        BufferCaches.open(seen, geometry.blockBytes, 4096L * geometry.blockBytes)) {
      Volume volume = new Volume(geometry, cache, Journals.plain(cache), "it is being checked");
      Ext2Check check = new Ext2Check(volume, budget, says);
      if (!damagedLog.isEmpty()) {
        check.report("the log that a crash left cannot be replayed: " + damagedLog);
      } else if ((geometry.incompatible & Features.NEEDS_RECOVERY) != 0) {
        check.report("a crash left a log that was not replayed; this is how it is after that");
      }
      return check.run(progress);
    }
  }

  private void report(String problem) {
    problems++;
    if (problems <= MAX_PROBLEMS) {
      says.accept(problem);
    } else if (problems == MAX_PROBLEMS + 1) {
      says.accept("more than " + MAX_PROBLEMS + " contradictions: the rest is not shown");
    }
  }

  private Report run(LongConsumer progress) throws IOException {
    checkState();
    for (int group = 0; group < geometry.groups; group++) {
      readBitmap(group);
      for (int block = 0; block < geometry.inodeTableBlocks(); block++) {
        checkInodes(group, block);
      }
      progress.accept(group + 1L);
    }
    claims.checkSharing();
    if (inodes.isDirectory(InodeLayout.ROOT)) {
      followNames();
    } else {
      report("inode 2, the root, is no directory");
    }
    checkLinks();
    checkGroups();
    return new Report(problems, files, directoryCount);
  }

  private void checkState() throws IOException {
    try (Buffer buffer = volume.cache.read(geometry.superblockBlock())) {
      int at = geometry.superblockOffset();
      int state = buffer.getShort(at + SuperblockLayout.STATE);
      if ((state & SuperblockLayout.STATE_VALID) == 0) {
        report("it was not unmounted cleanly");
      }
      if ((state & SuperblockLayout.STATE_ERROR) != 0) {
        report("errors were found while it was mounted");
      }
      int orphan = buffer.getInt(at + SuperblockLayout.LAST_ORPHAN);
      if (orphan != 0) {
        report("files without a name wait to be freed, first inode " + orphan);
      }
    }
  }

  // ---- inodes -----------------------------------------------------------------------------------

  private void readBitmap(int group) throws IOException {
    try (Buffer bitmap = volume.cache.read(volume.groups.inodeBitmap(group))) {
      bitmap.get(0, marked, 0, marked.length);
    }
  }

  private boolean isMarked(int index) {
    return (marked[index >> 3] >> (index & 7) & 1) != 0;
  }

  private boolean isReserved(long number) {
    return number < geometry.firstInode && number != InodeLayout.ROOT;
  }

  /// The inodes of one block of a table. Those that are free are passed over without an object for
  /// each: a large image has many.
  private void checkInodes(int group, int block) throws IOException {
    int first = block * geometry.inodesPerBlock();
    Buffer buffer;
    try {
      buffer = volume.cache.read(volume.groups.inodeTable(group) + block);
    } catch (FsException e) {
      report(String.valueOf(e.getMessage()));
      return;
    }
    try (buffer) {
      for (int i = 0; i < geometry.inodesPerBlock(); i++) {
        long number = (long) group * geometry.inodesPerGroup + first + i + 1;
        boolean linked = buffer.getShort(i * geometry.inodeBytes + InodeLayout.LINKS) != 0;
        if (linked || isMarked(first + i) || isReserved(number)) {
          checkInode(number, isMarked(first + i));
        }
      }
    }
  }

  private void checkInode(long number, boolean inBitmap) throws IOException {
    Inode inode;
    try {
      boolean free = table.loadUnchecked(number).links == 0;
      inode = free ? table.loadUnchecked(number) : table.loadAny(number);
    } catch (FsException e) {
      report(String.valueOf(e.getMessage()));
      return;
    }
    boolean reserved = isReserved(number);
    boolean used = inode.links > 0;
    if (used != inBitmap && !reserved) {
      report("inode " + number + (used ? " is in use, but marked free" : " is free, but marked"));
    }
    if (!used && !(reserved && inode.sectors > 0)) {
      return;
    }
    claims.follow(inode);
    if (reserved) {
      return;
    }
    inodes.add(number, inode.mode, inode.links);
    if (inode.isDirectory()) {
      budget.charge(WAITING_BYTES);
      directoryCount++;
    } else {
      files++;
    }
  }

  // ---- names ------------------------------------------------------------------------------------

  private void followNames() throws IOException {
    ArrayDeque<Integer> left = new ArrayDeque<>();
    left.add(InodeLayout.ROOT);
    inodes.setParent(InodeLayout.ROOT, InodeLayout.ROOT);
    while (!left.isEmpty()) {
      int number = left.remove();
      try {
        followDirectory(table.loadAny(number), left);
      } catch (FsException e) {
        report(String.valueOf(e.getMessage()));
      }
    }
  }

  private void followDirectory(Inode directory, ArrayDeque<Integer> left) throws IOException {
    boolean[] dots = new boolean[2];
    long blocks = directory.size >> geometry.blockShift;
    for (long block = 0; block < blocks; block++) {
      byte[] bytes = directories.readBlock(directory, block);
      EntryBytes.emit(
          geometry,
          bytes,
          0,
          0,
          (inode, kind, name, _) -> {
            checkEntry(directory, (int) inode, kind, name, dots, left);
            return true;
          });
    }
    if (!dots[0] || !dots[1]) {
      report("directory " + directory.number + " lacks . or ..");
    }
    if (directories.hashTree().isIndexed(directory)) {
      directories.hashTree().requireNamesInPlace(directory);
    }
  }

  private void checkEntry(
      Inode directory,
      int inode,
      FileKind kind,
      byte[] name,
      boolean[] dots,
      ArrayDeque<Integer> left) {
    inodes.addName(inode);
    String where = "directory " + directory.number + ", entry " + printable(name) + ": ";
    if (!Names.isPossible(name, 0, name.length)) {
      report(where + "a slash or NUL in its name");
    }
    if (Arrays.equals(name, Names.DOT)) {
      dots[0] = true;
      if (inode != directory.number) {
        report(where + "leads to inode " + inode);
      }
      return;
    }
    if (Arrays.equals(name, Names.DOT_DOT)) {
      dots[1] = true;
      if (inode != inodes.parent(directory.number)) {
        report(where + "leads to inode " + inode + ", not to its parent");
      }
      return;
    }
    int there = inodes.kind(inode);
    if (there == 0) {
      report(where + "leads to inode " + inode + ", which is not in use");
      return;
    }
    if (geometry.entryTypes() && !CheckedInodes.isKind(there, kind)) {
      report(where + "says " + kind + ", inode " + inode + " is " + CheckedInodes.named(there));
    }
    if (inodes.isDirectory(inode)) {
      if (inodes.parent(inode) != 0) {
        report(where + "a second name of directory " + inode);
      } else {
        inodes.setParent(inode, directory.number);
        left.add(inode);
      }
    }
  }

  private static String printable(byte[] name) {
    StringBuilder text = new StringBuilder();
    for (byte b : name) {
      text.append(b > ' ' && b < 0x7F ? (char) b : '?');
    }
    return text.toString();
  }

  private void checkLinks() {
    inodes.forEach(inode -> {
      int names = inodes.names(inode);
      if (names != inodes.links(inode)) {
        String what = names == 0 ? " has no name" : " has " + names + " names";
        report("inode " + inode + what + ", its count is " + inodes.links(inode));
      }
    });
  }

  // ---- bitmaps and counts -----------------------------------------------------------------------

  private void checkGroups() throws IOException {
    long freeBlocks = 0;
    long freeInodes = 0;
    for (int group = 0; group < geometry.groups; group++) {
      int free = checkBlocks(group);
      compare(group, "blocks", volume.groups.freeBlocks(group), free);
      freeBlocks += free;
      readBitmap(group);
      int inodesFree = 0;
      for (int i = 0; i < geometry.inodesPerGroup; i++) {
        inodesFree += isMarked(i) ? 0 : 1;
      }
      compare(group, "inodes", volume.groups.freeInodes(group), inodesFree);
      freeInodes += inodesFree;
      int found = inodes.directories(group);
      if (volume.groups.directories(group) != found) {
        report(
            "group "
                + group
                + " counts "
                + volume.groups.directories(group)
                + " directories, has "
                + found);
      }
    }
    try (Buffer buffer = volume.cache.read(geometry.superblockBlock())) {
      int at = geometry.superblockOffset();
      long blocks = buffer.getUnsignedInt(at + SuperblockLayout.FREE_BLOCKS);
      long inodes = buffer.getUnsignedInt(at + SuperblockLayout.FREE_INODES);
      if (blocks != freeBlocks || inodes != freeInodes) {
        report(
            String.format(
                "the superblock counts %d blocks and %d inodes free, there are %d and %d",
                blocks, inodes, freeBlocks, freeInodes));
      }
    }
  }

  private void compare(int group, String what, int counted, int found) {
    if (counted != found) {
      report("group " + group + " counts " + counted + " free " + what + ", has " + found);
    }
  }

  /// @return free blocks of a group by its bitmap
  private int checkBlocks(int group) throws IOException {
    int free = 0;
    long start = geometry.groupStart(group);
    try (Buffer bitmap = volume.cache.read(volume.groups.blockBitmap(group))) {
      for (int bit = 0; bit < geometry.groupBlocks(group); bit++) {
        boolean marked = (bitmap.getByte(bit >> 3) >> (bit & 7) & 1) != 0;
        boolean used = volume.groups.isMetadata(start + bit) || claims.isClaimed(start + bit);
        free += marked ? 0 : 1;
        if (used && !marked) {
          report("block " + (start + bit) + " is in use, but marked free");
        } else if (marked && !used && !isReservedTable(start + bit)) {
          report("block " + (start + bit) + " is free, but marked in use");
        }
      }
    }
    return free;
  }

  /// Descriptor blocks that mke2fs keeps for growing belong to inode 7 or to nobody.
  private boolean isReservedTable(long block) {
    int group = geometry.groupOfBlock(block);
    long first = geometry.groupStart(group) + 1L + geometry.descriptorBlocks();
    return geometry.hasSuperblock(group) && block >= first && block < first + 1024;
  }
}
