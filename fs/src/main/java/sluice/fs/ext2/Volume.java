package sluice.fs.ext2;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.sys.CoarseClock;
import sluice.sys.Errno;

/// What the parts of a mounted [Ext2] share: the image's shape, its cache and journal, whether it
/// may be changed, and the clock. Any thread may use it.
final class Volume {
  final Geometry geometry;
  final BufferCache cache;
  final Journal journal;

  /// Whether the superblock says that there are extended attributes. Only ever set.
  private volatile boolean hasAttributes;

  /// Whether it says that there are files of 2 GiB or more. Only ever set.
  private volatile boolean hasLargeFiles;

  /// Held by the thread that changes the superblock.
  final ReentrantLock superblockLock = new ReentrantLock();

  /// Every block number below is checked against it.
  final GroupDescriptors groups;

  private final String whyReadOnly;
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /// @param whyReadOnly empty when it may be changed
  Volume(Geometry geometry, BufferCache cache, Journal journal, String whyReadOnly)
      throws IOException {
    this.geometry = geometry;
    this.cache = cache;
    this.journal = journal;
    this.whyReadOnly = whyReadOnly;
    groups = new GroupDescriptors(geometry, cache);
    groups.journal(journal);
    hasAttributes = geometry.has(Features.EXT_ATTR);
    hasLargeFiles = (geometry.readOnlyCompatible & Features.LARGE_FILE) != 0;
  }

  boolean readOnly() {
    return !whyReadOnly.isEmpty() || failed();
  }

  /// Whether nothing was ever changed: otherwise there may be something to make stable.
  boolean mountedReadOnly() {
    return !whyReadOnly.isEmpty();
  }

  /// @throws FsException `EROFS`
  void requireWritable() throws FsException {
    if (!whyReadOnly.isEmpty()) {
      throw FsException.of(Errno.EROFS, whyReadOnly);
    }
    String failed = failure.get();
    if (failed != null) {
      throw FsException.of(
          Errno.EROFS, "a change failed half-way: " + failed + "; Fix: run e2fsck, mount again");
    }
  }

  /// Opens an operation that changes at most so many metadata blocks. To be called before any lock
  /// of an inode is taken: it may wait for the journal, which waits for open transactions.
  Operation begin(int credits) throws IOException {
    requireWritable();
    return new Operation(this, journal.begin(credits + 1), credits);
  }

  /// Sets four bytes of the superblock.
  void setSuperblock(Operation op, int field, int value) throws IOException {
    superblockLock.lock();
    try (Buffer buffer = op.change(geometry.superblockBlock())) {
      buffer.setInt(geometry.superblockOffset() + field, value);
    } finally {
      superblockLock.unlock();
    }
  }

  /// @throws FsException `EOPNOTSUPP` in images of revision 0, which have no features
  void requireAttributes() throws FsException {
    if (!hasAttributes && geometry.revision == 0) {
      throw FsException.of(Errno.EOPNOTSUPP, "extended attributes in an image of revision 0");
    }
  }

  /// Says in the superblock that there are extended attributes, as Linux does with the first one.
  void noteAttributes(Operation op) throws IOException {
    if (!hasAttributes) {
      setSuperblock(op, SuperblockLayout.COMPATIBLE, geometry.compatible | Features.EXT_ATTR);
      hasAttributes = true;
    }
  }

  boolean hasLargeFiles() {
    return hasLargeFiles;
  }

  /// Says in the superblock that there are files of 2 GiB or more, as Linux does with the first
  /// one.
  void noteLargeFile(Operation op) throws IOException {
    if (!hasLargeFiles) {
      int features = geometry.readOnlyCompatible | Features.LARGE_FILE;
      setSuperblock(op, SuperblockLayout.READ_ONLY_COMPATIBLE, features);
      hasLargeFiles = true;
    }
  }

  /// From now on nothing is changed any more.
  void fail(String what) {
    failure.compareAndSet(null, what);
  }

  boolean failed() {
    return failure.get() != null || journal.failed();
  }

  /// Nanoseconds since 1970, as coarse as in the kernel's file systems: a tick of some
  /// milliseconds.
  static long now() {
    return CoarseClock.realtimeNanos();
  }

  /// @throws FsException `EUCLEAN` unless the block may belong to a file
  long checkBlock(long inode, long block) throws FsException {
    if (!isContent(block)) {
      throw FsException.corrupt(inode, block, "a file points to a block that is no file's");
    }
    return block;
  }

  /// Whether a block may belong to a file.
  boolean isContent(long block) {
    return block > geometry.firstDataBlock && block < geometry.blocks && !groups.isMetadata(block);
  }
}
