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

/// A file in memory. The holder of [#lock] for writing changes it, and stores it with [InodeTable]
/// in the same operation; readers read optimistically and check.
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

  /// Where [MapPages] keeps the first page of its map; at random, so that few files meet.
  final int mapPlace;

  final StampedLock lock = new StampedLock();

  int mode;
  int links;
  int uid;
  int gid;
  int flags;
  int generation;
  long size;

  /// 512-byte units taken, those of pointers and extended attributes included.
  long sectors;

  /// Twelve blocks and three roots of pointers; or a device's number; or a short link's target.
  final int[] block = new int[InodeLayout.BLOCK_POINTERS];

  /// What readers without a lock take for [#block]: the same array, unless one of the direct blocks
  /// that the device held is no file's. Then it is [#NO_BLOCKS], and each is checked when it is
  /// used.
  int[] trusted = block;

  /// Direct blocks that are nowhere on a device.
  private static final int[] NO_BLOCKS = noBlocks();

  long accessNanos;
  long modifyNanos;
  long changeNanos;
  long birthNanos;

  /// Whether it was not read since it was last changed: told by the three times, so that a reader
  /// looks at one field.
  boolean accessDue;

  /// Which times are not as on the device: bits as [AttributeChange#ACCESS] and `MODIFY`,
  /// [#CHANGED] and [#BORN].
  int timesSet;

  /// Block of extended attributes, or 0.
  long attributeBlock;

  /// Whether it was looked at and has no attribute `security.capability`.
  boolean withoutCapability;

  /// Bytes of fields beyond the old 128.
  int extraBytes;

  /// What the device held when it was read: the next file of the list of orphans, in a mount.
  int nextOrphan;

  /// Users that keep it in being without a name.
  int retains;

  /// Where the next block of content had best be, or 0.
  long goal;

  /// Lookups in a large directory before its index was made. Only a hint.
  int coldLookups;

  /// What [HashTree] has found of the tree on the device: one of its three states. A thread that
  /// finds it finds the same.
  int treeState;

  /// The last block of content that had to be waited for. Only a hint.
  long lastRead = -1;

  /// Grows when blocks go away: what was remembered of the map is void then.
  volatile int mapEpoch;

  volatile @Nullable DirectoryIndex index;
  volatile long version;
  volatile boolean gone;

  /// Whether it was looked at since the last sweep.
  boolean used;

  volatile @Nullable Inode next;
  private volatile @Nullable FileAttributes published;

  /// What is read from the device may have been told before it left memory.
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

  /// What is read of the direct blocks goes the way that checks, before any other thread has the
  /// inode.
  void distrustBlocks() {
    trusted = NO_BLOCKS;
  }

  /// Makes void what was remembered of the map, under the write lock.
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

  /// Whether it has a name, or is kept without.
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

  /// Whether the block pointers are what their name says.
  boolean hasBlockMap(int blockBytes) {
    return isRegular() || isDirectory() || (isSymlink() && !isFastSymlink(blockBytes));
  }

  boolean isFastSymlink(int blockBytes) {
    return isSymlink() && sectors - (attributeBlock == 0 ? 0 : blockBytes >> 9) == 0;
  }

  /// Whether a caller may have been told its version: then what changes next needs another one.
  boolean isVersionTold() {
    return versionTold;
  }

  /// Notes a change of content or attributes, under the write lock. Reading is no change: a thread
  /// that keeps content by its version keeps it.
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

  /// Derives [#accessDue], after a change of the times.
  void weighTimes() {
    accessDue = accessNanos <= Math.max(modifyNanos, changeNanos);
  }

  /// Gives it a version that it never had and makes the published attributes void, under the write
  /// lock; the caller stores it. So each version that a caller is told, [InodeTable] finds again.
  void changed() {
    // A time of whole seconds would give, after a crash, what was given before it in that second.
    long least = extraBytes >= InodeLayout.PRECISE_CHANGE_EXTRA ? changeNanos : Volume.now();
    versionTold = false;
    // Unlocking writes with a fence behind it: one here would be the second.
    VERSION.setRelease(this, Math.max(version + 1, least));
  }

  /// The attributes, or null when a writer is at work.
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
    // Before the stamp is checked: either a writer sees it, or the check sees the writer.
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
