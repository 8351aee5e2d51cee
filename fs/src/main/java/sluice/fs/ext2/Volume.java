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

/// The shared state of a mounted [Ext2]: the geometry, the cache, the journal, the read-only state
/// and the clock. Safe for use by any thread.
final class Volume {
  final Geometry geometry;
  final BufferCache cache;
  final Journal journal;

  /// True if the superblock declares extended attributes. Never cleared.
  private volatile boolean hasAttributes;

  /// True if the superblock declares files of 2 GiB or more. Never cleared.
  private volatile boolean hasLargeFiles;

  /// Held while the superblock changes.
  final ReentrantLock superblockLock = new ReentrantLock();

  /// The group descriptors, against which every block number is checked.
  final GroupDescriptors groups;

  private final String whyReadOnly;
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /// Creates the shared state of a mount.
  ///
  /// @param whyReadOnly the reason for a read-only mount, empty if the volume may be changed
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

  /// Returns true if the volume was mounted read-only. Then there is nothing to make stable.
  boolean mountedReadOnly() {
    return !whyReadOnly.isEmpty();
  }

  /// Requires a volume that may be changed.
  ///
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

  /// Begins an operation that changes at most `credits` metadata blocks. Must be called before any
  /// inode is locked, because it may wait for the journal, which waits for open transactions.
  Operation begin(int credits) throws IOException {
    requireWritable();
    return new Operation(this, journal.begin(credits + 1), credits);
  }

  /// Sets a four-byte field of the superblock.
  void setSuperblock(Operation op, int field, int value) throws IOException {
    superblockLock.lock();
    try (Buffer buffer = op.change(geometry.superblockBlock())) {
      buffer.setInt(geometry.superblockOffset() + field, value);
    } finally {
      superblockLock.unlock();
    }
  }

  /// Requires an image that can have extended attributes.
  ///
  /// @throws FsException `EOPNOTSUPP` in images of revision 0, which have no features
  void requireAttributes() throws FsException {
    if (!hasAttributes && geometry.revision == 0) {
      throw FsException.of(Errno.EOPNOTSUPP, "extended attributes in an image of revision 0");
    }
  }

  /// Declares extended attributes in the superblock. Linux does the same for the first one.
  void noteAttributes(Operation op) throws IOException {
    if (!hasAttributes) {
      setSuperblock(op, SuperblockLayout.COMPATIBLE, geometry.compatible | Features.EXT_ATTR);
      hasAttributes = true;
    }
  }

  boolean hasLargeFiles() {
    return hasLargeFiles;
  }

  /// Declares files of 2 GiB or more in the superblock. Linux does the same for the first one.
  void noteLargeFile(Operation op) throws IOException {
    if (!hasLargeFiles) {
      int features = geometry.readOnlyCompatible | Features.LARGE_FILE;
      setSuperblock(op, SuperblockLayout.READ_ONLY_COMPATIBLE, features);
      hasLargeFiles = true;
    }
  }

  /// Makes the volume read-only after a failure.
  void fail(String what) {
    failure.compareAndSet(null, what);
  }

  boolean failed() {
    return failure.get() != null || journal.failed();
  }

  /// Returns the time in nanoseconds since 1970, as coarse as in the kernel's file systems: a tick
  /// is some milliseconds.
  static long now() {
    return CoarseClock.realtimeNanos();
  }

  /// Requires a block that may belong to a file, and returns it.
  ///
  /// @throws FsException `EUCLEAN` if it may not
  long checkBlock(long inode, long block) throws FsException {
    if (!isContent(block)) {
      throw FsException.corrupt(inode, block, "a file points to a block that is no file's");
    }
    return block;
  }

  /// Returns true if a block may belong to a file.
  boolean isContent(long block) {
    return block > geometry.firstDataBlock && block < geometry.blocks && !groups.isMetadata(block);
  }
}
