package sluice.fs.ext2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.ext2.layout.InodeLayout;

/// An inode in memory. The holder of the write [#lock] changes it and stores it with [InodeTable]
/// in the same operation; readers read optimistically and validate.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | mode … block | holder of the write lock | optimistic, or under the lock | under the lock |
/// | version | holder of the write lock | volatile | release; its unlocking fences |
/// | withoutCapability | holder of a lock: true; of the write lock: false | plain, a hint | plain |
/// | versionTold | reader: true; holder of the write lock: false | volatile | volatile |
/// | published | any reader | volatile; good if version and accessNanos agree | volatile |
/// | next, gone | [InodeCache] | volatile | volatile |
/// | index | holder of the lock | volatile | volatile; any thread may set it to null |
final class Inode {
  final long number;

  /// The slot of [MapPages] for the first page of the map. A hash of the number, so that few files
  /// share a slot.
  final int mapPlace;

  final StampedLock lock = new StampedLock();

  int mode;
  int links;
  int uid;
  int gid;
  int flags;
  int generation;
  long size;

  /// The space used, in units of 512 bytes, including indirect blocks and extended attributes.
  long sectors;

  /// Twelve direct blocks and three indirect roots; or a device number; or the target of a short
  /// link.
  final int[] block = new int[InodeLayout.BLOCK_POINTERS];

  /// The [#block] array for readers without a lock. If the device held an invalid direct block, it
  /// is [#NO_BLOCKS] instead, and each pointer is checked when it is used.
  int[] trusted = block;

  /// Direct blocks that lie outside of any device.
  private static final int[] NO_BLOCKS = noBlocks();

  long accessNanos;
  long modifyNanos;
  long changeNanos;
  long birthNanos;

  /// True if the file was not read since its last change. Derived from the three times, so that a
  /// reader tests one field.
  boolean accessDue;

  /// The times that differ from those on the device: the bits [AttributeChange#ACCESS] and
  /// `MODIFY`, [#CHANGED] and [#BORN].
  int timesSet;

  /// The block of extended attributes, or 0.
  long attributeBlock;

  /// True if the inode is known to have no attribute `security.capability`.
  boolean withoutCapability;

  /// The number of bytes of fields beyond the original 128.
  int extraBytes;

  /// The next inode of the orphan list, as read from the device. Used during a mount.
  int nextOrphan;

  /// The number of users that keep the file alive without a name.
  int retains;

  /// The preferred device block for the next block of content, or 0.
  long goal;

  /// The number of lookups in a large directory while it had no index in memory. A hint only.
  int coldLookups;

  /// The state of the directory's hash tree, as found by [HashTree]. Threads that write it
  /// concurrently write the same value.
  int treeState;

  /// The last block of content that was read under the lock. A hint only.
  long lastRead = -1;

  /// Incremented when blocks are freed: cached pages of the map are then invalid.
  volatile int mapEpoch;

  volatile @Nullable DirectoryIndex index;
  volatile long version;
  volatile boolean gone;

  /// True if the inode was used since the last sweep of the cache.
  boolean used;

  volatile @Nullable Inode next;
  private volatile @Nullable FileAttributes published;

  /// True at first: the version read from the device may have been seen before the inode left
  /// memory.
  private volatile boolean versionTold = true;

  private static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Inode.class, "version", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int REGULAR = FileKind.REGULAR.modeBits();

  static final int CHANGED = 0x100;
  static final int BORN = 0x200;

  Inode(long number) {
    this.number = number;
    mapPlace = (int) ((number * 0x9E3779B97F4A7C15L) >>> 40);
  }

  private static int[] noBlocks() {
    int[] blocks = new int[InodeLayout.DIRECT_BLOCKS];
    Arrays.fill(blocks, -1);
    return blocks;
  }

  /// Makes readers without a lock take the path that checks direct blocks. Called before the inode
  /// is published.
  void distrustBlocks() {
    trusted = NO_BLOCKS;
  }

  /// Invalidates the cached pages of the map. The caller holds the write lock.
  void forgetMap() {
    int epoch = mapEpoch;
    mapEpoch = epoch + 1;
  }

  void unlock() {
    boolean held = lock.tryUnlockWrite();
    assert held;
  }

  void unlockRead() {
    boolean held = lock.tryUnlockRead();
    assert held;
  }

  /// Returns true if the file has a name or is retained without one.
  boolean isAlive() {
    return links > 0 || retains > 0;
  }

  FileKind kind() {
    return FileKind.ofMode(mode);
  }

  boolean isDirectory() {
    return (mode & FileKind.MODE_MASK) == FileKind.DIRECTORY.modeBits();
  }

  boolean isRegular() {
    return (mode & FileKind.MODE_MASK) == REGULAR;
  }

  boolean isSymlink() {
    return (mode & FileKind.MODE_MASK) == FileKind.SYMLINK.modeBits();
  }

  boolean isDevice() {
    FileKind kind = kind();
    return kind == FileKind.CHARACTER_DEVICE || kind == FileKind.BLOCK_DEVICE;
  }

  /// Returns true if the block pointers are pointers, and not a device number or a link target.
  boolean hasBlockMap(int blockBytes) {
    return isRegular() || isDirectory() || (isSymlink() && !isFastSymlink(blockBytes));
  }

  boolean isFastSymlink(int blockBytes) {
    return isSymlink() && sectors - (attributeBlock == 0 ? 0 : blockBytes >> 9) == 0;
  }

  /// Returns true if a caller may have seen the current version. Then the next change needs a new
  /// one.
  boolean isVersionTold() {
    return versionTold;
  }

  /// Records a change of content or attributes. The caller holds the write lock. A read is not a
  /// change: it keeps the version, so caches that depend on the version stay valid.
  void touch(int times, long now) {
    if ((times & AttributeChange.ACCESS) != 0) {
      accessNanos = now;
    }
    if ((times & AttributeChange.MODIFY) != 0) {
      modifyNanos = now;
    }
    if ((times & CHANGED) != 0) {
      changeNanos = now;
    }
    timesSet |= times;
    weighTimes();
    if (times != AttributeChange.ACCESS) {
      changed();
    }
  }

  /// Computes [#accessDue] after a change of the times.
  void weighTimes() {
    accessDue = accessNanos <= Math.max(modifyNanos, changeNanos);
  }

  /// Assigns a version that the inode never had, which invalidates the published attributes. The
  /// caller holds the write lock and stores the inode. [InodeTable] restores every version that a
  /// caller has seen.
  void changed() {
    // After a crash, a time in whole seconds could repeat a version of the same second.
    long least = extraBytes >= InodeLayout.PRECISE_CHANGE_EXTRA ? changeNanos : Volume.now();
    versionTold = false;
    // Unlocking includes a fence, so a release write suffices here.
    VERSION.setRelease(this, Math.max(version + 1, least));
  }

  /// Returns the attributes, or null if a writer holds the lock.
  @Nullable FileAttributes tryAttributes() {
    FileAttributes now = published;
    if (now != null && now.version() == version && now.accessNanos() == accessNanos) {
      return now;
    }
    long stamp = lock.tryOptimisticRead();
    if (stamp == 0) {
      return null;
    }
    now = make();
    // Set before the stamp is validated: either a writer sees it, or the validation sees the
    // writer.
    versionTold = true;
    if (!lock.validate(stamp)) {
      return null;
    }
    published = now;
    return now;
  }

  FileAttributes attributes() {
    FileAttributes now = tryAttributes();
    if (now != null) {
      return now;
    }
    long stamp = lock.readLock();
    try {
      now = make();
      versionTold = true;
      published = now;
      return now;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private FileAttributes make() {
    boolean device = isDevice();
    return new FileAttributes(
        number,
        generation,
        mode,
        links,
        uid,
        gid,
        size,
        sectors << 9,
        device ? deviceMajor() : 0,
        device ? deviceMinor() : 0,
        accessNanos,
        modifyNanos,
        changeNanos,
        birthNanos,
        version);
  }

  private int deviceMajor() {
    return block[0] != 0 ? block[0] >>> 8 & 0xFF : (block[1] & 0xFFF00) >>> 8;
  }

  private int deviceMinor() {
    return block[0] != 0 ? block[0] & 0xFF : (block[1] & 0xFF) | (block[1] >>> 12 & 0xFFF00);
  }

  void setDevice(int major, int minor) {
    if (major < 256 && minor < 256) {
      block[0] = major << 8 | minor;
      block[1] = 0;
    } else {
      block[0] = 0;
      block[1] = (minor & 0xFF) | major << 8 | (minor & ~0xFF) << 12;
    }
  }
}
