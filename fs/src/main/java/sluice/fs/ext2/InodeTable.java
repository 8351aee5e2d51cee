package sluice.fs.ext2;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import sluice.fs.AttributeChange;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// Reads each [Inode] from the device and writes it back. This class is thread-safe. A thread that
/// stores an inode must hold its write lock.
///
/// Because several threads may write inodes in the same block, each block is written under one of a
/// small number of locks.
final class InodeTable {
  private static final int LOCKS = 64;
  private static final long NANOS = 1_000_000_000L;
  private static final long MIN_SECONDS = Long.MIN_VALUE / NANOS;
  private static final long MAX_SECONDS = Long.MAX_VALUE / NANOS;

  /// The largest plausible version. A larger version is treated as damage because it could not be
  /// incremented much further.
  private static final long MAX_VERSION = Long.MAX_VALUE / 2;

  private final Volume volume;
  private final Geometry geometry;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  InodeTable(Volume volume) {
    this.volume = volume;
    geometry = volume.geometry;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  long block(long inode) {
    long index = (inode - 1) % geometry.inodesPerGroup;
    return volume.groups.inodeTable(geometry.groupOfInode(inode))
        + index / geometry.inodesPerBlock();
  }

  int offset(long inode) {
    return (int) ((inode - 1) % geometry.inodesPerGroup % geometry.inodesPerBlock())
        * geometry.inodeBytes;
  }

  /// Reads an inode.
  ///
  /// @throws FsException `ESTALE` if the inode is not in use, or `EUCLEAN` if it is inconsistent
  Inode load(long number) throws IOException {
    Inode inode = loadUnchecked(number);
    if (inode.links == 0) {
      throw FsException.of(Errno.ESTALE, "inode " + number + " is not in use");
    }
    check(inode, block(number));
    return inode;
  }

  /// Reads an inode like [#load], except that the inode may have lost its last name.
  Inode loadAny(long number) throws IOException {
    Inode inode = loadUnchecked(number);
    boolean reserved = number < geometry.firstInode && number != InodeLayout.ROOT;
    if ((inode.links != 0 || inode.mode != 0) && !reserved) {
      check(inode, block(number));
    }
    return inode;
  }

  /// Reads an inode without any validation, even if it is not in use.
  Inode loadUnchecked(long number) throws IOException {
    Inode inode = new Inode(number);
    try (Buffer buffer = volume.cache.read(block(number))) {
      read(inode, buffer, offset(number));
    }
    return inode;
  }

  private void read(Inode inode, Buffer b, int at) {
    inode.mode = b.getShort(at + InodeLayout.MODE);
    inode.links = b.getShort(at + InodeLayout.LINKS);
    inode.uid = b.getShort(at + InodeLayout.UID) | b.getShort(at + InodeLayout.UID_HIGH) << 16;
    inode.gid = b.getShort(at + InodeLayout.GID) | b.getShort(at + InodeLayout.GID_HIGH) << 16;
    inode.flags = b.getInt(at + InodeLayout.FLAGS);
    inode.generation = b.getInt(at + InodeLayout.GENERATION);
    inode.size = b.getUnsignedInt(at + InodeLayout.SIZE);
    if (inode.isRegular() && geometry.revision > 0) {
      inode.size |= b.getUnsignedInt(at + InodeLayout.SIZE_HIGH) << 32;
    }
    inode.sectors = b.getUnsignedInt(at + InodeLayout.BLOCKS);
    for (int i = 0; i < inode.block.length; i++) {
      inode.block[i] = b.getInt(at + InodeLayout.BLOCK + 4 * i);
    }
    inode.attributeBlock = b.getUnsignedInt(at + InodeLayout.FILE_ACL);
    inode.nextOrphan = b.getInt(at + InodeLayout.DELETE_TIME);
    if (geometry.inodeBytes > InodeLayout.GOOD_OLD_BYTES) {
      inode.extraBytes = b.getShort(at + InodeLayout.EXTRA_SIZE);
    }
    inode.accessNanos = time(inode, b, at, InodeLayout.ACCESS_TIME, InodeLayout.ACCESS_TIME_EXTRA);
    inode.modifyNanos = time(inode, b, at, InodeLayout.MODIFY_TIME, InodeLayout.MODIFY_TIME_EXTRA);
    inode.changeNanos = time(inode, b, at, InodeLayout.CHANGE_TIME, InodeLayout.CHANGE_TIME_EXTRA);
    if (fits(inode, InodeLayout.BIRTH_TIME_EXTRA)) {
      inode.birthNanos = time(inode, b, at, InodeLayout.BIRTH_TIME, InodeLayout.BIRTH_TIME_EXTRA);
    }
    inode.weighTimes();
    inode.version = version(inode, b, at);
    for (int i = 0; i < InodeLayout.DIRECT_BLOCKS; i++) {
      if (inode.block[i] != 0 && !volume.isContent(inode.block[i] & 0xFFFF_FFFFL)) {
        // this also applies to links and device files, whose fields do not contain block pointers
        inode.distrustBlocks();
      }
    }
  }

  /// Returns the stored version in the format of Linux's ext4. It has 64 bits if the inode has
  /// enough space. Otherwise only the low half is stored, and the high half is derived from the
  /// change time, which is at most two seconds older. If another implementation has changed the
  /// file or stored a counter in the field, then the change time is newer.
  private long version(Inode inode, Buffer b, int at) {
    long change = inode.changeNanos;
    if (geometry.hurd) {
      return change;
    }
    int low = b.getInt(at + InodeLayout.VERSION);
    if (!fits(inode, InodeLayout.VERSION_HIGH)) {
      return change > MAX_VERSION ? change : change + ((low - (int) change) & 0xFFFF_FFFFL);
    }
    long stored = (long) b.getInt(at + InodeLayout.VERSION_HIGH) << 32 | (low & 0xFFFF_FFFFL);
    return stored > MAX_VERSION ? change : Math.max(stored, change);
  }

  private void check(Inode inode, long block) throws FsException {
    long number = inode.number;
    if ((inode.flags & InodeLayout.FLAGS_OF_EXT4) != 0) {
      throw FsException.corrupt(
          number, block, "flags of ext4: 0x" + Integer.toHexString(inode.flags));
    }
    if (inode.kind() == FileKind.UNKNOWN) {
      throw FsException.corrupt(
          number, block, "impossible mode 0" + Integer.toOctalString(inode.mode));
    }
    if (inode.size < 0 || inode.size > geometry.maxFileBytes()) {
      throw FsException.corrupt(number, block, "impossible size " + inode.size);
    }
    if (inode.size > Integer.MAX_VALUE && !volume.hasLargeFiles()) {
      throw FsException.corrupt(number, block, inode.size + " bytes, without feature large_file");
    }
    if (inode.isDirectory()
        && (inode.size % geometry.blockBytes != 0
            || inode.size >> geometry.blockShift > geometry.blocks)) {
      throw FsException.corrupt(number, block, "impossible size of a directory: " + inode.size);
    }
    if (inode.isSymlink()
        && (inode.size == 0
            || inode.size > geometry.blockBytes
            || (inode.isFastSymlink(geometry.blockBytes)
                && inode.size >= 4L * InodeLayout.BLOCK_POINTERS))) {
      throw FsException.corrupt(number, block, "impossible length of a link: " + inode.size);
    }
    int room = geometry.inodeBytes - InodeLayout.GOOD_OLD_BYTES;
    if (inode.extraBytes > room || inode.extraBytes % 4 != 0) {
      throw FsException.corrupt(number, block, "impossible i_extra_isize " + inode.extraBytes);
    }
    if (inode.attributeBlock != 0) {
      volume.checkBlock(number, inode.attributeBlock);
    }
  }

  private boolean fits(Inode inode, int field) {
    return InodeLayout.GOOD_OLD_BYTES + inode.extraBytes >= field + 4;
  }

  private long time(Inode inode, Buffer b, int at, int field, int extraField) {
    long seconds = b.getInt(at + field);
    int nanos = 0;
    if (fits(inode, extraField)) {
      int extra = b.getInt(at + extraField);
      seconds += (long) (extra & 3) << 32;
      nanos = Math.min(extra >>> 2, (int) NANOS - 1);
    }
    if (seconds <= MIN_SECONDS) {
      return Long.MIN_VALUE + 1;
    }
    return seconds >= MAX_SECONDS ? Long.MAX_VALUE : seconds * NANOS + nanos;
  }

  /// Returns the time closest to the given time that can be stored in the inode.
  long storable(Inode inode, long nanos) {
    if (fits(inode, InodeLayout.ACCESS_TIME_EXTRA)) {
      return Math.max(nanos, Integer.MIN_VALUE * NANOS);
    }
    long seconds = Math.floorDiv(nanos, NANOS);
    return Math.clamp(seconds, Integer.MIN_VALUE, Integer.MAX_VALUE) * NANOS;
  }

  /// Writes an inode as part of an operation. One block is changed.
  void store(Operation op, Inode inode) throws IOException {
    write(op, inode, false);
  }

  /// Writes a newly allocated inode. The previous content of its slot is erased.
  void storeNew(Operation op, Inode inode) throws IOException {
    write(op, inode, true);
  }

  /// Sets the field that contains the deletion time or the next inode of the orphan list.
  void setDeleteTime(Operation op, long inode, int value) throws IOException {
    change(op, inode, (buffer, at) -> buffer.setInt(at + InodeLayout.DELETE_TIME, value));
  }

  /// A change to the bytes of an inode in the table, which is used for extended attributes.
  interface Change {
    void apply(Buffer buffer, int offset) throws IOException;
  }

  void change(Operation op, long inode, Change change) throws IOException {
    long block = block(inode);
    ReentrantLock lock = locks[(int) block & (LOCKS - 1)];
    lock.lock();
    try (Buffer b = op.change(block)) {
      change.apply(b, offset(inode));
    } finally {
      lock.unlock();
    }
  }

  private void write(Operation op, Inode inode, boolean fresh) throws IOException {
    long block = block(inode.number);
    ReentrantLock lock = locks[(int) block & (LOCKS - 1)];
    op.begin();
    if (inode.isRegular() && inode.size > Integer.MAX_VALUE) {
      volume.noteLargeFile(op);
    }
    lock.lock();
    try (Buffer b = op.change(block)) {
      int at = offset(inode.number);
      if (fresh) {
        b.fill(at, geometry.inodeBytes, 0);
        b.setInt(at + InodeLayout.GENERATION, inode.generation);
        if (geometry.inodeBytes > InodeLayout.GOOD_OLD_BYTES) {
          b.setShort(at + InodeLayout.EXTRA_SIZE, inode.extraBytes);
        }
      }
      write(inode, b, at);
    } finally {
      lock.unlock();
    }
  }

  private void write(Inode inode, Buffer b, int at) {
    b.setShort(at + InodeLayout.MODE, inode.mode);
    b.setShort(at + InodeLayout.LINKS, inode.links);
    b.setShort(at + InodeLayout.UID, inode.uid);
    b.setShort(at + InodeLayout.UID_HIGH, inode.uid >>> 16);
    b.setShort(at + InodeLayout.GID, inode.gid);
    b.setShort(at + InodeLayout.GID_HIGH, inode.gid >>> 16);
    b.setInt(at + InodeLayout.FLAGS, inode.flags);
    b.setInt(at + InodeLayout.SIZE, (int) inode.size);
    if (inode.isRegular() && geometry.revision > 0) {
      b.setInt(at + InodeLayout.SIZE_HIGH, (int) (inode.size >>> 32));
    }
    b.setInt(at + InodeLayout.BLOCKS, (int) inode.sectors);
    for (int i = 0; i < inode.block.length; i++) {
      b.setInt(at + InodeLayout.BLOCK + 4 * i, inode.block[i]);
    }
    b.setInt(at + InodeLayout.FILE_ACL, (int) inode.attributeBlock);
    writeTimes(inode, b, at);
    if (!geometry.hurd) {
      b.setInt(at + InodeLayout.VERSION, (int) inode.version);
      if (fits(inode, InodeLayout.VERSION_HIGH)) {
        b.setInt(at + InodeLayout.VERSION_HIGH, (int) (inode.version >>> 32));
      }
    }
  }

  /// Writes the times that have been set. The other times are not changed because they may be
  /// outside of the range that can be represented in nanoseconds.
  private void writeTimes(Inode inode, Buffer b, int at) {
    int set = inode.timesSet;
    if ((set & AttributeChange.ACCESS) != 0) {
      writeTime(inode, b, at, inode.accessNanos, InodeLayout.ACCESS_TIME);
    }
    if ((set & AttributeChange.MODIFY) != 0) {
      writeTime(inode, b, at, inode.modifyNanos, InodeLayout.MODIFY_TIME);
    }
    if ((set & Inode.CHANGED) != 0) {
      writeTime(inode, b, at, inode.changeNanos, InodeLayout.CHANGE_TIME);
    }
    if ((set & Inode.BORN) != 0 && fits(inode, InodeLayout.BIRTH_TIME_EXTRA)) {
      writeTime(inode, b, at, inode.birthNanos, InodeLayout.BIRTH_TIME);
    }
    inode.timesSet = 0;
  }

  private void writeTime(Inode inode, Buffer b, int at, long nanos, int field) {
    long seconds = Math.floorDiv(nanos, NANOS);
    b.setInt(at + field, (int) seconds);
    int extraField =
        switch (field) {
          case InodeLayout.ACCESS_TIME -> InodeLayout.ACCESS_TIME_EXTRA;
          case InodeLayout.MODIFY_TIME -> InodeLayout.MODIFY_TIME_EXTRA;
          case InodeLayout.CHANGE_TIME -> InodeLayout.CHANGE_TIME_EXTRA;
          default -> InodeLayout.BIRTH_TIME_EXTRA;
        };
    if (fits(inode, extraField)) {
      int epoch = (int) ((seconds - (int) seconds) >>> 32) & 3;
      b.setInt(at + extraField, (int) Math.floorMod(nanos, NANOS) << 2 | epoch);
    }
  }
}
