package sluice.fs.ext2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.Names;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;

/// Checks the consistency of an image without changing it, like `fsck -n`. The check is confined to
/// the calling thread, and the image must not be mounted.
///
/// The check follows every pointer and every directory entry once, counts them, and compares the
/// results with the bitmaps, the link counts, the group descriptors and the superblock. It does not
/// repair the image, for which e2fsck can be used.
///
/// The required memory depends on the content of the image: 12 bytes per inode in use
/// ([CheckedInodes]) and 24 more bytes per directory, one bit per block ([ClaimedBlocks]), 60 bytes
/// per group, and a cache of 4096 blocks. A check that requires more than half of the heap fails.
public final class Ext2Check {
  private static final int MAX_PROBLEMS = 1000;

  /// The maximum amount of memory for the changes that the next mount would make after replaying
  /// the log, when it frees files that have no name.
  private static final long SCRATCH_BYTES = 64L << 20;

  /// The amount of memory that a directory occupies while it is in the queue.
  private static final long WAITING_BYTES = 24;

  private final Volume volume;
  private final Geometry geometry;
  private final Consumer<String> says;
  private final InodeTable table;
  private final Directories directories;
  private final ClaimedBlocks claims;
  private final CheckBudget budget;
  private final CheckedInodes inodes;
  private final Checksums checksums;
  private final CheckedGroups groups;
  private final CheckedFields fields;
  private final BlockDevice device;
  private final byte[] superblock;

  /// The inode bitmap of the group that is being checked.
  private final byte[] marked;

  /// The block of the inode table that is being checked.
  private final byte[] tableBlock;

  private long problems;
  private long files;
  private long directoryCount;

  /// The result of a check.
  ///
  /// @param problems the number of inconsistencies
  /// @param files the number of inodes in use that are not directories
  /// @param directories the number of directories
  /// @param afterReplay true if the image contains the log of a mount that was interrupted by a
  ///   crash, in which case the result describes the state of the image after the next mount
  /// @param blocksInLog the number of blocks in the log that are not yet stored at their final
  ///   locations
  public record Report(
      long problems, long files, long directories, boolean afterReplay, int blocksInLog) {}

  private Ext2Check(BlockDevice device, Volume volume, CheckBudget budget, Consumer<String> says)
      throws IOException {
    this.device = device;
    this.volume = volume;
    this.budget = budget;
    this.says = says;
    geometry = volume.geometry;
    table = new InodeTable(volume);
    BlockAllocator allocator = new BlockAllocator(volume);
    BlockMap map = new BlockMap(volume, allocator, 256);
    directories = new Directories(volume, map, allocator, new Names(), 1 << 20);
    superblock = Ext2.readSuperblock(device);
    checksums = new Checksums(geometry);
    claims = new ClaimedBlocks(volume, superblock, budget, this::report);
    inodes = new CheckedInodes(geometry, budget);
    groups = new CheckedGroups(volume, checksums, this::report);
    fields = new CheckedFields(geometry, superblock, checksums, this::report);
    tableBlock = new byte[geometry.blockBytes];
    marked = new byte[geometry.blockBytes];
  }

  /// Checks an image. If the image contains the log of a mount that was interrupted by a crash, the
  /// log is replayed in memory, and the result describes the state of the image after the next
  /// mount.
  ///
  /// @param says receives a message for each inconsistency, up to a thousand messages
  /// @param progress receives the number of groups whose inodes have been checked
  /// @throws FsException if the image is not ext2 or cannot be read at all, or `ENOMEM` if the
  ///   check requires more than half of the heap
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
    boolean crashed = (geometry.incompatible & Features.NEEDS_RECOVERY) != 0;
    int inLog = 0;
    try {
      if (crashed) {
        seen = JournalMount.replayedInMemory(device, geometry);
        inLog = Journals.overlaid(seen);
        seen = JournalMount.asNextMounted(seen, SCRATCH_BYTES);
        geometry = Geometry.of(Ext2.readSuperblock(seen), device.lengthBytes());
      }
    } catch (FsException e) {
      damagedLog = String.valueOf(e.getMessage());
    }
    try (BufferCache cache =
        BufferCaches.open(seen, geometry.blockBytes, 4096L * geometry.blockBytes)) {
      Volume volume = new Volume(geometry, cache, Journals.plain(cache), "it is being checked");
      Ext2Check check = new Ext2Check(seen, volume, budget, says);
      if (!damagedLog.isEmpty()) {
        check.report("the log that a crash left cannot be replayed: " + damagedLog);
      }
      check.run(progress);
      boolean replayed = crashed && damagedLog.isEmpty();
      return new Report(check.problems, check.files, check.directoryCount, replayed, inLog);
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

  private void run(LongConsumer progress) throws IOException {
    new CheckedSuperblock(geometry, superblock, this::report).check();
    for (int group = 0; group < geometry.groups; group++) {
      groups.checkDescriptor(group);
      groups.checkTables(group);
    }
    checkJournal();
    for (int group = 0; group < geometry.groups; group++) {
      groups.readInodes(group, marked);
      int written = groups.writtenInodes(group);
      for (int first = 0; first < written; first += geometry.inodesPerBlock()) {
        checkInodes(group, first, Math.min(written - first, geometry.inodesPerBlock()));
      }
      progress.accept(group + 1L);
    }
    claims.checkAttributes();
    if (inodes.isDirectory(InodeLayout.ROOT)) {
      followNames();
    } else {
      report("inode 2, the root, is not a directory");
    }
    checkLinks();
    checkGroups();
  }

  /// Checks the superblock of the log, which is located by [JournalMount].
  private void checkJournal() throws IOException {
    if (geometry.journalInode == 0) {
      return;
    }
    try {
      long[] places = JournalMount.places(geometry, volume.cache);
      Journals.check(device, geometry.blockBytes, places);
    } catch (FsException e) {
      report("the journal: " + e.getMessage());
    }
  }

  // ---- inodes -----------------------------------------------------------------------------------

  private boolean isReserved(long number) {
    return number < geometry.firstInode && number != InodeLayout.ROOT;
  }

  /// Checks the inodes in one block of an inode table. Free inodes are skipped without allocating
  /// memory, because a large image has many of them.
  private void checkInodes(int group, int first, int count) throws IOException {
    int block = first / geometry.inodesPerBlock();
    try (Buffer buffer = volume.cache.read(volume.groups.inodeTable(group) + block)) {
      buffer.get(0, tableBlock, 0, tableBlock.length);
    } catch (FsException e) {
      report(String.valueOf(e.getMessage()));
      return;
    }
    for (int i = 0; i < count; i++) {
      long number = (long) group * geometry.inodesPerGroup + first + i + 1;
      int at = i * geometry.inodeBytes;
      boolean inBitmap = CheckedGroups.isMarked(marked, first + i);
      fields.check(number, tableBlock, at);
      boolean linked = tableBlock[at + InodeLayout.LINKS] != 0;
      linked |= tableBlock[at + InodeLayout.LINKS + 1] != 0;
      if (linked || inBitmap || isReserved(number)) {
        checkInode(number, inBitmap, translator(at));
      }
    }
  }

  /// Returns the translator block of an inode, which the Hurd stores in the field that Linux uses
  /// for a version.
  private long translator(int at) {
    ByteBuffer b = ByteBuffer.wrap(tableBlock).order(ByteOrder.LITTLE_ENDIAN);
    return geometry.hurd ? b.getInt(at + InodeLayout.VERSION) & 0xFFFF_FFFFL : 0;
  }

  private void checkInode(long number, boolean inBitmap, long translator) throws IOException {
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
    if (reserved ? !inBitmap : used != inBitmap) {
      boolean free = used || reserved;
      report("inode " + number + (free ? " is in use, but marked free" : " is free, but marked"));
    }
    boolean listed = number == InodeLayout.BAD_BLOCKS;
    if (!used && !(reserved && (inode.mode != 0 || inode.sectors != 0 || listed))) {
      return;
    }
    claims.follow(inode, translator);
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
    long blocks = directory.size >> geometry.blockShift;
    boolean indexed = directories.hashTree().isIndexed(directory);
    for (long block = 0; block < blocks; block++) {
      byte[] bytes = directories.readBlock(directory, block);
      if (block == 0 && !EntryBytes.beginsWithDots(bytes)) {
        report("directory " + directory.number + " does not begin with . and ..");
      }
      if (checksums.everywhere() && !checksums.directoryFits(directory, bytes)) {
        report("directory " + directory.number + ": the checksum of its block " + block);
      }
      checkEntries(directory, block, bytes, left);
    }
    if (indexed) {
      directories.hashTree().requireNamesInPlace(directory);
    }
  }

  /// Checks the entries of a directory block. Each name may occur only once in it.
  private void checkEntries(Inode directory, long block, byte[] bytes, ArrayDeque<Integer> left) {
    Set<ByteBuffer> names = new HashSet<>();
    int index = 0;
    for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
      int inode = (int) EntryBytes.inode(bytes, at);
      if (inode != 0) {
        int from = at + EntryLayout.NAME;
        byte[] name = Arrays.copyOfRange(bytes, from, from + EntryBytes.nameLength(bytes, at));
        String where = "directory " + directory.number + ", entry " + printable(name) + ": ";
        if (!names.add(ByteBuffer.wrap(name))) {
          report(where + "comes twice");
        }
        checkType(where, inode, bytes[at + EntryLayout.FILE_TYPE]);
        if (block == 0 && index < 2) {
          checkDots(directory, inode, index, where);
        } else {
          checkEntry(directory, inode, name, where, left);
        }
      }
      index++;
    }
  }

  /// Checks the file type of an entry. The value 0 means unknown. If the image does not have the
  /// feature, the byte is the high byte of the name length.
  private void checkType(String where, int inode, byte type) {
    int there = inodes.kind(inode);
    if (!geometry.entryTypes()) {
      if (type != 0) {
        report(where + "says kind " + type + ", without the feature filetype");
      }
    } else if (there != 0 && type != 0 && type != CheckedInodes.named(there).entryType()) {
      report(
          where + "says kind " + type + ", inode " + inode + " is " + CheckedInodes.named(there));
    }
  }

  /// Checks the entries `.` and `..`, which must be the first two entries and must refer to the
  /// directory and its parent.
  private void checkDots(Inode directory, int inode, int index, String where) {
    inodes.addName(inode);
    long wanted = index == 0 ? directory.number : inodes.parent(directory.number);
    if (inode != wanted) {
      report(where + "leads to inode " + inode + ", not to " + wanted);
    }
  }

  private void checkEntry(
      Inode directory, int inode, byte[] name, String where, ArrayDeque<Integer> left) {
    inodes.addName(inode);
    if (!Names.isPossible(name, 0, name.length)) {
      report(where + "a slash or NUL in its name");
    }
    if (Arrays.equals(name, Names.DOT) || Arrays.equals(name, Names.DOT_DOT)) {
      report(where + "is not in its place");
    }
    if (inodes.kind(inode) == 0) {
      report(where + "leads to inode " + inode + ", which is not in use");
    } else if (inodes.isDirectory(inode)) {
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
      long free = groups.check(group, claims, inodes);
      freeBlocks += free & 0xFFFF_FFFFL;
      freeInodes += free >>> 32;
    }
    ByteBuffer s = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
    long blocks = s.getInt(SuperblockLayout.FREE_BLOCKS) & 0xFFFF_FFFFL;
    long inodes = s.getInt(SuperblockLayout.FREE_INODES) & 0xFFFF_FFFFL;
    // After a crash the counts are recomputed by the next mount, and e2fsck does not report them
    // either.
    boolean counted = (geometry.incompatible & Features.NEEDS_RECOVERY) == 0;
    if (counted && (blocks != freeBlocks || inodes != freeInodes)) {
      report(
          String.format(
              "the superblock counts %d blocks and %d inodes free, there are %d and %d",
              blocks, inodes, freeBlocks, freeInodes));
    }
  }
}
