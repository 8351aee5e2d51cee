package sluice.fs.ext2.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.GroupLayout;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Creates an empty file system on a device, like `mkfs`. Instances are confined to the calling
/// thread.
///
/// The image has revision 1, inodes of 256 bytes and the features `ext_attr dir_index filetype
/// sparse_super large_file`. If it has a journal, it also has the feature `has_journal` and an
/// empty log.
public final class Ext2Format {
  private static final int LOST_AND_FOUND = FormatSuperblock.LOST_AND_FOUND;

  /// The size of lost+found. All of its blocks, which are direct blocks, are allocated in advance.
  private static final int LOST_AND_FOUND_BYTES = 16_384;

  /// The number of zero bytes that are written at a time.
  private static final int ZERO_BYTES = 256 << 10;

  private final BlockDevice device;
  private final FormatOptions options;
  private final LongConsumer progress;
  private final Geometry geometry;
  private final byte[] superblock;
  private final int now = (int) (System.currentTimeMillis() / 1000);

  /// The number of blocks at the start of each group that are occupied by its own tables.
  private final int[] tables;

  /// The next unused block. Content is allocated contiguously.
  private long next;

  private final int[] usedByContent;
  private final Block buffer;
  private final Block zeros;

  private Ext2Format(BlockDevice device, FormatOptions options, LongConsumer progress)
      throws IOException {
    this.device = device;
    this.options = options;
    this.progress = progress;
    superblock = FormatSuperblock.of(options, device.lengthBytes() / options.blockBytes(), now);
    geometry = Geometry.of(superblock, device.lengthBytes());
    tables = new int[geometry.groups];
    usedByContent = new int[geometry.groups];
    Account account = new Account("mkfs", geometry.blockBytes + ZERO_BYTES);
    Block one = Block.allocate(account, geometry.blockBytes);
    Block many = Block.allocate(account, ZERO_BYTES);
    if (one == null || many == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for blocks");
    }
    buffer = one;
    zeros = many;
  }

  /// Creates a file system that occupies the entire device. The previous content of the device is
  /// lost.
  ///
  /// @param progress receives the number of groups that have been completed
  /// @throws FsException `ENOSPC` if the device is too small, or `EINVAL` if its sectors are larger
  ///   than the blocks
  public static void format(BlockDevice device, FormatOptions options, LongConsumer progress)
      throws IOException {
    if (device.sectorBytes() > options.blockBytes()) {
      throw FsException.of(
          Errno.EINVAL, "blocks are smaller than sectors of " + device.sectorBytes() + " bytes");
    }
    Ext2Format format = new Ext2Format(device, options, progress);
    try {
      format.run();
    } finally {
      format.buffer.release();
      format.zeros.release();
    }
  }

  // ---- laying out -------------------------------------------------------------------------------

  private void run() throws IOException {
    for (int group = 0; group < geometry.groups; group++) {
      int supers = geometry.hasSuperblock(group) ? 1 + geometry.descriptorBlocks() : 0;
      tables[group] = supers + 2 + geometry.inodeTableBlocks();
      if (tables[group] > geometry.groupBlocks(group)) {
        throw FsException.of(
            Errno.ENOSPC, "no room for the tables of group " + group + "; Fix: a larger device");
      }
    }
    // The superblock is written last, so that an incomplete image cannot be mounted.
    writeZeros(geometry.superblockBlock(), 1);
    for (int group = 0; group < geometry.groups; group++) {
      writeZeros(inodeTable(group), geometry.inodeTableBlocks());
      progress.accept(group + 1L);
    }
    next = geometry.groupStart(0) + tables[0];
    long root = take();
    writeRoot(root);
    int foundBlocks =
        Math.min(InodeLayout.DIRECT_BLOCKS, LOST_AND_FOUND_BYTES / geometry.blockBytes);
    int[] found = new int[InodeLayout.BLOCK_POINTERS];
    for (int i = 0; i < foundBlocks; i++) {
      found[i] = (int) take();
      writeLostAndFound(found[i] & 0xFFFF_FFFFL, i == 0);
    }
    writeInodes(root, found, foundBlocks);
    writeBitmaps();
    device.flush();
    writeSuperblocks();
    device.flush();
  }

  private long inodeTable(int group) {
    return geometry.groupStart(group) + tables[group] - geometry.inodeTableBlocks();
  }

  /// Allocates the next block of content, skipping the tables of each group.
  private long take() throws FsException {
    if (next >= geometry.blocks) {
      throw FsException.of(Errno.ENOSPC, "no room for the journal; Fix: a larger device");
    }
    int group = geometry.groupOfBlock(next);
    if (next == geometry.groupStart(group)) {
      next += tables[group];
    }
    usedByContent[group]++;
    return next++;
  }

  private ByteBuffer cleared() {
    buffer.segment().fill((byte) 0);
    return buffer.segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  private void write(long block) throws IOException {
    device.write(block << geometry.blockShift, buffer, 0, geometry.blockBytes);
  }

  private void writeZeros(long block, int count) throws IOException {
    long at = block << geometry.blockShift;
    long left = (long) count << geometry.blockShift;
    while (left > 0) {
      int bytes = (int) Math.min(left, ZERO_BYTES);
      device.write(at, zeros, 0, bytes);
      at += bytes;
      left -= bytes;
    }
  }

  private static int entry(ByteBuffer b, int at, int inode, int length, String name) {
    b.putInt(at + EntryLayout.INODE, inode);
    b.putShort(at + EntryLayout.RECORD_LENGTH, (short) length);
    b.put(at + EntryLayout.NAME_LENGTH, (byte) name.length());
    b.put(at + EntryLayout.FILE_TYPE, (byte) FileKind.DIRECTORY.entryType());
    b.put(at + EntryLayout.NAME, name.getBytes(StandardCharsets.US_ASCII));
    return at + length;
  }

  private void writeRoot(long block) throws IOException {
    ByteBuffer b = cleared();
    int at = entry(b, 0, InodeLayout.ROOT, 12, ".");
    at = entry(b, at, InodeLayout.ROOT, 12, "..");
    entry(b, at, LOST_AND_FOUND, geometry.blockBytes - at, "lost+found");
    write(block);
  }

  private void writeLostAndFound(long block, boolean first) throws IOException {
    ByteBuffer b = cleared();
    if (first) {
      int at = entry(b, 0, LOST_AND_FOUND, 12, ".");
      entry(b, at, InodeLayout.ROOT, geometry.blockBytes - at, "..");
    } else {
      b.putShort(EntryLayout.RECORD_LENGTH, (short) geometry.blockBytes);
    }
    write(block);
  }

  // ---- inodes -----------------------------------------------------------------------------------

  /// An inode that is stored in the first blocks of the inode table.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record NewInode(int number, int mode, int links, long bytes, int[] map, int blocks) {}

  private void writeInodes(long root, int[] found, int foundBlocks) throws IOException {
    int[] rootMap = new int[InodeLayout.BLOCK_POINTERS];
    rootMap[0] = (int) root;
    long foundBytes = (long) foundBlocks << geometry.blockShift;
    NewInode[] made = {
      new NewInode(InodeLayout.ROOT, 0x41ED, 3, geometry.blockBytes, rootMap, 1),
      new NewInode(LOST_AND_FOUND, 0x41C0, 2, foundBytes, found, foundBlocks),
      journalInode()
    };
    int perBlock = geometry.inodesPerBlock();
    for (int block = 0; block <= (LOST_AND_FOUND - 1) / perBlock; block++) {
      ByteBuffer b = cleared();
      for (NewInode inode : made) {
        if (inode.blocks > 0 && (inode.number - 1) / perBlock == block) {
          writeInode(b, (inode.number - 1) % perBlock * geometry.inodeBytes, inode);
        }
      }
      write(inodeTable(0) + block);
    }
  }

  private void writeInode(ByteBuffer b, int at, NewInode inode) {
    b.putShort(at + InodeLayout.MODE, (short) inode.mode);
    b.putInt(at + InodeLayout.SIZE, (int) inode.bytes);
    b.putShort(at + InodeLayout.LINKS, (short) inode.links);
    b.putInt(at + InodeLayout.BLOCKS, inode.blocks * (geometry.blockBytes >> 9));
    b.putInt(at + InodeLayout.ACCESS_TIME, now);
    b.putInt(at + InodeLayout.CHANGE_TIME, now);
    b.putInt(at + InodeLayout.MODIFY_TIME, now);
    b.putInt(at + InodeLayout.BIRTH_TIME, now);
    b.putShort(at + InodeLayout.EXTRA_SIZE, (short) InodeLayout.WANTED_EXTRA_SIZE);
    for (int i = 0; i < inode.map.length; i++) {
      b.putInt(at + InodeLayout.BLOCK + 4 * i, inode.map[i]);
    }
  }

  /// Writes the journal, which consists of the superblock of an empty log followed by zeros.
  /// Returns its inode.
  private NewInode journalInode() throws IOException {
    int blocks = options.journalBlocks();
    int[] map = new int[InodeLayout.BLOCK_POINTERS];
    if (blocks == 0) {
      return new NewInode(InodeLayout.JOURNAL, 0, 0, 0, map, 0);
    }
    int[] content = new int[blocks];
    long[] places = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      content[i] = (int) take();
      places[i] = content[i] & 0xFFFF_FFFFL;
      writeZeros(places[i], 1);
    }
    Journals.create(device, geometry.blockBytes, places, options.uuidBytes());
    System.arraycopy(content, 0, map, 0, Math.min(blocks, InodeLayout.DIRECT_BLOCKS));
    int pointers = geometry.pointersPerBlock();
    int done = InodeLayout.DIRECT_BLOCKS;
    int taken = blocks;
    if (done < blocks) {
      map[InodeLayout.DIRECT_BLOCKS] = (int) writePointers(content, done);
      taken++;
      done += pointers;
    }
    if (done < blocks) {
      int leaves = (blocks - done + pointers - 1) / pointers;
      if (leaves > pointers) {
        throw FsException.of(Errno.EINVAL, "a journal of " + blocks + " blocks is too long");
      }
      int[] second = new int[leaves];
      for (int i = 0; i < leaves; i++) {
        second[i] = (int) writePointers(content, done + i * pointers);
      }
      map[InodeLayout.DIRECT_BLOCKS + 1] = (int) writePointers(second, 0);
      taken += leaves + 1;
    }
    long bytes = (long) blocks << geometry.blockShift;
    FormatSuperblock.backUpJournal(superblock, map, bytes);
    return new NewInode(InodeLayout.JOURNAL, 0x8180, 1, bytes, map, taken);
  }

  private long writePointers(int[] blocks, int from) throws IOException {
    long block = take();
    ByteBuffer b = cleared();
    for (int i = from; i < Math.min(blocks.length, from + geometry.pointersPerBlock()); i++) {
      b.putInt((i - from) << 2, blocks[i]);
    }
    write(block);
    return block;
  }

  // ---- bitmaps and superblocks ------------------------------------------------------------------

  private void writeBitmaps() throws IOException {
    for (int group = 0; group < geometry.groups; group++) {
      long table = inodeTable(group);
      ByteBuffer b = cleared();
      setBits(b, 0, tables[group] + usedByContent[group]);
      setBits(b, geometry.groupBlocks(group), 8 * geometry.blockBytes);
      write(table - 2);
      b = cleared();
      setBits(b, 0, group == 0 ? LOST_AND_FOUND : 0);
      setBits(b, geometry.inodesPerGroup, 8 * geometry.blockBytes);
      write(table - 1);
    }
  }

  private static void setBits(ByteBuffer b, int from, int to) {
    for (int bit = from; bit < to; bit++) {
      b.put(bit >> 3, (byte) (b.get(bit >> 3) | 1 << (bit & 7)));
    }
  }

  private int freeBlocks(int group) {
    return geometry.groupBlocks(group) - tables[group] - usedByContent[group];
  }

  private void writeSuperblocks() throws IOException {
    ByteBuffer s = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
    long free = 0;
    for (int group = 0; group < geometry.groups; group++) {
      free += freeBlocks(group);
    }
    s.putInt(SuperblockLayout.FREE_BLOCKS, (int) free);
    s.putInt(SuperblockLayout.FREE_INODES, geometry.inodes - LOST_AND_FOUND);
    for (int group = geometry.groups - 1; group >= 0; group--) {
      if (geometry.hasSuperblock(group)) {
        writeDescriptors(geometry.groupStart(group) + 1);
        s.putShort(SuperblockLayout.GROUP_NUMBER, (short) group);
        ByteBuffer b = cleared();
        b.put(group == 0 ? geometry.superblockOffset() : 0, superblock);
        write(geometry.groupStart(group));
      }
    }
  }

  private void writeDescriptors(long start) throws IOException {
    for (int i = 0; i < geometry.descriptorBlocks(); i++) {
      ByteBuffer b = cleared();
      int first = i * geometry.descriptorsPerBlock();
      int end = Math.min(geometry.groups, first + geometry.descriptorsPerBlock());
      for (int group = first; group < end; group++) {
        int at = geometry.descriptorOffset(group);
        int table = (int) inodeTable(group);
        int usedInodes = group == 0 ? LOST_AND_FOUND : 0;
        b.putInt(at + GroupLayout.BLOCK_BITMAP, table - 2);
        b.putInt(at + GroupLayout.INODE_BITMAP, table - 1);
        b.putInt(at + GroupLayout.INODE_TABLE, table);
        b.putShort(at + GroupLayout.FREE_BLOCKS, (short) freeBlocks(group));
        b.putShort(at + GroupLayout.FREE_INODES, (short) (geometry.inodesPerGroup - usedInodes));
        b.putShort(at + GroupLayout.USED_DIRECTORIES, (short) (group == 0 ? 2 : 0));
      }
      write(start + i);
    }
  }
}
