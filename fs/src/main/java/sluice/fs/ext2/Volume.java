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

/// The shared state of a mounted [Ext2], which includes the geometry, the cache, the journal, the
/// read-only state and the clock. This class is thread-safe.
final class Volume {
  final Geometry geometry;
  final BufferCache cache;
  final Journal journal;

  /// True if the superblock declares that the image uses extended attributes. It is never reset to
  /// false.
  private volatile boolean hasAttributes;

  /// True if the superblock declares that the image contains files of 2 GiB or more. It is never
  /// reset to false.
  private volatile boolean hasLargeFiles;

  /// A lock that is held while the superblock is modified.
  final ReentrantLock superblockLock = new ReentrantLock();

  /// The group descriptors, which are used to validate every block number.
  final GroupDescriptors groups;

  private final String whyReadOnly;
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /// Creates the shared state of a mount.
  ///
  /// @param whyReadOnly the reason for a read-only mount, or an empty string if the volume is
  ///   writable
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

  /// Returns true if the volume was mounted read-only, in which case no changes have to be made
  /// durable.
  boolean mountedReadOnly() {
    return !whyReadOnly.isEmpty();
  }

  /// Checks that the volume is writable.
  ///
  /// @throws FsException `EROFS` if it is not
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

  /// Begins an operation that changes at most `credits` metadata blocks. This must be called before
  /// any inode is locked, because it may wait for the journal, which in turn waits for open
  /// transactions.
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

  /// Checks that the image supports extended attributes.
  ///
  /// @throws FsException `EOPNOTSUPP` for images of revision 0, which have no features
  void requireAttributes() throws FsException {
    if (!hasAttributes && geometry.revision == 0) {
      throw FsException.of(Errno.EOPNOTSUPP, "extended attributes in an image of revision 0");
    }
  }

  /// Declares in the superblock that the image uses extended attributes. Linux does the same when
  /// the first attribute is set.
  void noteAttributes(Operation op) throws IOException {
    if (!hasAttributes) {
      setSuperblock(op, SuperblockLayout.COMPATIBLE, geometry.compatible | Features.EXT_ATTR);
      hasAttributes = true;
    }
  }

  boolean hasLargeFiles() {
    return hasLargeFiles;
  }

  /// Declares in the superblock that the image contains files of 2 GiB or more. Linux does the same
  /// when the first such file is created.
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

  /// Returns the time in nanoseconds since 1970. It has the same resolution as in the kernel's file
  /// systems, where a tick lasts several milliseconds.
  static long now() {
    return CoarseClock.realtimeNanos();
  }

  /// Checks that a block may belong to a file, and returns it.
  ///
  /// @throws FsException `EUCLEAN` if the block may not belong to a file
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
