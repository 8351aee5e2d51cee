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

/// An inode in memory. A thread that holds the write [#lock] modifies it and stores it with
/// [InodeTable] in the same operation. Readers read it optimistically and validate the result.
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

  /// The slot in [MapPages] for the first page of the block map. It is a hash of the inode number,
  /// so that only few files share a slot.
  final int mapPlace;

  final StampedLock lock = new StampedLock();

  int mode;
  int links;
  int uid;
  int gid;
  int flags;
  int generation;
  long size;

  /// The space that the file occupies, in units of 512 bytes, including indirect blocks and
  /// extended attributes.
  long sectors;

  /// The twelve direct blocks and the three roots of the indirect blocks, or a device number, or
  /// the target of a short symbolic link.
  final int[] block = new int[InodeLayout.BLOCK_POINTERS];

  /// The array that readers without a lock use instead of [#block]. It is the same array, or
  /// [#NO_BLOCKS] if the device contained an invalid direct block. In the latter case, each pointer
  /// is validated when it is used.
  int[] trusted = block;

  /// Direct blocks that are beyond the end of any device.
  private static final int[] NO_BLOCKS = noBlocks();

  long accessNanos;
  long modifyNanos;
  long changeNanos;
  long birthNanos;

  /// True if the file has not been read since its last change. The value is derived from the three
  /// times, so that a reader has to test only one field.
  boolean accessDue;

  /// The times that differ from the times on the device, as a combination of the bits
  /// [AttributeChange#ACCESS], `MODIFY`, [#CHANGED] and [#BORN].
  int timesSet;

  /// The block of extended attributes, or 0 if there is none.
  long attributeBlock;

  /// True if the inode is known not to have the attribute `security.capability`.
  boolean withoutCapability;

  /// The size in bytes of the fields that follow the original 128 bytes.
  int extraBytes;

  /// The next inode in the orphan list, as read from the device. It is used only during a mount.
  int nextOrphan;

  /// The number of users that prevent the file from being freed when it has no name.
  int retains;

  /// The preferred device block for the next block of content, or 0 if there is none.
  long goal;

  /// The number of lookups in a large directory while it had no index in memory. The value is only
  /// a hint.
  int coldLookups;

  /// The state of the directory's hash tree, as determined by [HashTree]. Threads that write it
  /// concurrently write the same value.
  int treeState;

  /// The last block of content that was read under the lock. The value is only a hint.
  long lastRead = -1;

  /// Incremented when blocks are freed, which invalidates the cached pages of the block map.
  volatile int mapEpoch;

  volatile @Nullable DirectoryIndex index;
  volatile long version;
  volatile boolean gone;

  /// True if the inode has been used since the last sweep of the cache.
  boolean used;

  volatile @Nullable Inode next;
  private volatile @Nullable FileAttributes published;

  /// Initially true, because the version that was read from the device may have been observed
  /// before the inode was evicted from memory.
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

  /// Makes readers without a lock take the path that validates direct blocks. Must be called before
  /// the inode is published.
  void distrustBlocks() {
    trusted = NO_BLOCKS;
  }

  /// Invalidates the cached pages of the block map. The caller must hold the write lock.
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

  /// Returns true if the file has a name or is retained.
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

  /// Returns true if the block pointers are real pointers, and not a device number or the target of
  /// a symbolic link.
  boolean hasBlockMap(int blockBytes) {
    return isRegular() || isDirectory() || (isSymlink() && !isFastSymlink(blockBytes));
  }

  boolean isFastSymlink(int blockBytes) {
    return isSymlink() && sectors - (attributeBlock == 0 ? 0 : blockBytes >> 9) == 0;
  }

  /// Returns true if a caller may have observed the current version, in which case the next change
  /// must assign a new version.
  boolean isVersionTold() {
    return versionTold;
  }

  /// Records a change of the content or the attributes. The caller must hold the write lock. A read
  /// does not count as a change and preserves the version, so that caches that depend on the
  /// version remain valid.
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

  /// Recomputes [#accessDue] after the times have changed.
  void weighTimes() {
    accessDue = accessNanos <= Math.max(modifyNanos, changeNanos);
  }

  /// Assigns a version that the inode has never had before, which invalidates the published
  /// attributes. The caller must hold the write lock and must store the inode. [InodeTable]
  /// restores every version that may have been observed by a caller.
  void changed() {
    // After a crash, a time in whole seconds could repeat a version that was used within the same
    // second.
    long least = extraBytes >= InodeLayout.PRECISE_CHANGE_EXTRA ? changeNanos : Volume.now();
    versionTold = false;
    // A release write is sufficient here because unlocking includes a fence.
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
    // This is set before the stamp is validated. Therefore either a writer sees it, or the
    // validation detects the writer.
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
