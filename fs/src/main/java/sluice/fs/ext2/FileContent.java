package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.SliceSink;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Reads the content of files. This class is thread-safe.
///
/// Content that is in memory is read without acquiring a lock: the block map is read
/// optimistically, the bytes are copied or leased, and then the stamp of the inode is validated.
/// The read lock of the inode is acquired only in order to read content that is not in memory.
final class FileContent {
  /// The number of blocks that are read ahead of a sequential reader.
  private static final int READ_AHEAD = 32;

  private static final long DAY_NANOS = 86_400_000_000_000L;

  private final Volume volume;
  private final Geometry geometry;
  private final BufferCache cache;

  // Copies of fields of the geometry and the cache, which avoid an indirection.
  private final int blockBytes;
  private final int blockShift;
  private final long blocks;
  private final InodeCache inodes;
  private final InodeTable table;
  private final BlockMap map;
  private final boolean accessTimes;

  /// The content of holes, which consists of zeros.
  private final Block zeros;

  /// Creates a reader for the files of a volume.
  ///
  /// @param accessTimes true to update access times once a day and after each change (`relatime`)
  FileContent(Volume volume, InodeCache inodes, InodeTable table, BlockMap map, boolean accessTimes)
      throws FsException {
    this.volume = volume;
    this.inodes = inodes;
    this.table = table;
    this.map = map;
    this.accessTimes = accessTimes;
    geometry = volume.geometry;
    cache = volume.cache;
    blockBytes = geometry.blockBytes;
    blockShift = geometry.blockShift;
    blocks = geometry.blocks;
    Account account = new Account("zeros", geometry.blockBytes);
    Block made = Block.allocate(account, geometry.blockBytes);
    if (made == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for a block of zeros");
    }
    zeros = made;
  }

  void close() {
    zeros.release();
  }

  // ---- copying ----------------------------------------------------------------------------------

  int read(long number, long position, Memory into, long at, int count) throws IOException {
    if ((position | count) < 0) {
      throw FsException.of(Errno.EINVAL, "read at " + position + ", " + count + " bytes");
    }
    Inode inode = inodes.get(number);
    int done = 0;
    while (done < count) {
      int piece = tryCopy(inode, position + done, into, at + done, count - done);
      if (piece < 0) {
        piece = copyWaiting(number, position + done, into, at + done, count - done);
      }
      if (piece == 0) {
        break;
      }
      done += piece;
    }
    if (accessTimes && inode.accessDue) {
      noteAccess(number);
    }
    return done;
  }

  /// Copies bytes that are in memory.
  ///
  /// @return the number of bytes copied, or -1 if the caller must take the slow path
  private int tryCopy(Inode inode, long position, Memory into, long at, int count) {
    long stamp = inode.lock.tryOptimisticRead();
    long left = inode.size - position;
    if (stamp == 0 || left <= 0 || inode.gone || !inode.isRegular()) {
      return -1;
    }
    int offset = (int) position & (blockBytes - 1);
    int bytes = (int) Math.min(left, count);
    long logical = position >> blockShift;
    long block = map.cachedBlock(inode, logical);
    if (block <= 0) {
      return -1;
    }
    if (bytes > blockBytes - offset) {
      int run = map.cachedRun(inode, logical, block, (position + bytes - 1) >> blockShift);
      bytes = (int) Math.min(bytes, ((long) run << blockShift) - offset);
    }
    if (block + ((offset + bytes - 1) >> blockShift) >= blocks) {
      return -1;
    }
    int copied = cache.copy(block, offset, into, at, bytes);
    return copied > 0 && inode.lock.validate(stamp) ? copied : -1;
  }

  private int copyWaiting(long number, long position, Memory into, long at, int count)
      throws IOException {
    Inode inode = inodes.lockToRead(number);
    try {
      requireContent(inode);
      long left = inode.size - position;
      if (left <= 0) {
        return 0;
      }
      int offset = (int) position & (blockBytes - 1);
      int bytes = (int) Math.min(left, Math.min(count, blockBytes - offset));
      long block = map.map(inode, position >> blockShift);
      if (block == 0) {
        into.copyFrom(zeros, 0, at, bytes);
        return bytes;
      }
      readAhead(inode, position >> blockShift, block);
      try (Buffer buffer = cache.read(block)) {
        into.copyFrom(buffer.block(), offset, at, bytes);
      }
      return bytes;
    } finally {
      inode.unlockRead();
    }
  }

  /// Checks that an inode is a regular file.
  ///
  /// @throws FsException `EISDIR` or `EINVAL` if it is not
  static void requireContent(Inode inode) throws FsException {
    if (inode.isDirectory()) {
      throw FsException.of(Errno.EISDIR, "inode " + inode.number);
    }
    if (!inode.isRegular()) {
      throw FsException.of(Errno.EINVAL, "inode " + inode.number + " has no content");
    }
  }

  /// Prefetches the blocks after a block that is about to be read. Damaged pointers are ignored
  /// here, because the error is reported when the block is read.
  private void readAhead(Inode inode, long logical, long block) {
    long since = logical - inode.lastRead;
    if (since > 0 && since <= 2 * READ_AHEAD) {
      long end = Math.min(logical + READ_AHEAD, (inode.size - 1) >> blockShift);
      int count = 0;
      while (logical + count < end && isAt(inode, logical + count + 1, block + count + 1)) {
        count++;
      }
      if (count > 0) {
        cache.readAhead(block, count + 1);
      }
    }
    inode.lastRead = logical;
  }

  /// Returns true if the given block of a file is stored at the given device block.
  private boolean isAt(Inode inode, long logical, long block) {
    try {
      return map.map(inode, logical) == block;
    } catch (IOException damaged) {
      return false;
    }
  }

  // ---- without copying --------------------------------------------------------------------------

  int slices(long number, long position, int count, SliceSink sink) throws IOException {
    Inode inode = inodes.get(number);
    long stamp = inode.lock.tryOptimisticRead();
    boolean oneBlock =
        position >= 0
            && count > 0
            && count <= blockBytes - ((int) position & (blockBytes - 1))
            && count <= inode.size - position;
    int done = count;
    if (!oneBlock || !tryShow(inode, stamp, position, count, sink)) {
      done = manySlices(inode, position, count, sink);
    }
    if (accessTimes && inode.accessDue) {
      noteAccess(number);
    }
    return done;
  }

  /// Reads slices in the general case, in which the range may include several blocks, the end of
  /// the file, and blocks that are not in memory.
  private int manySlices(Inode inode, long position, int count, SliceSink sink) throws IOException {
    if ((position | count) < 0) {
      throw FsException.of(Errno.EINVAL, "read at " + position + ", " + count + " bytes");
    }
    int done = 0;
    while (done < count) {
      int piece = trySlice(inode, position + done, count - done, sink);
      if (piece == 0) {
        piece = sliceWaiting(inode.number, position + done, count - done, sink);
      }
      if (piece == 0) {
        break;
      }
      done += piece;
    }
    return done;
  }

  /// Passes the bytes of a single block to the sink if the block is in memory.
  ///
  /// @return the number of bytes, or 0 at the end of the file or if the caller must take the slow
  ///   path
  private int trySlice(Inode inode, long position, int count, SliceSink sink) {
    long stamp = inode.lock.tryOptimisticRead();
    int most = Math.min(count, blockBytes - ((int) position & (blockBytes - 1)));
    long bytes = Math.min(inode.size - position, most);
    return bytes > 0 && tryShow(inode, stamp, position, (int) bytes, sink) ? (int) bytes : 0;
  }

  /// Passes bytes of a single block to the sink if the block is in memory.
  ///
  /// @param stamp the optimistic stamp of the inode, which was obtained before its size was read
  /// @return false if the caller must take the slow path
  private boolean tryShow(Inode inode, long stamp, long position, int bytes, SliceSink sink) {
    if (stamp == 0 || inode.gone || !inode.isRegular()) {
      return false;
    }
    // An invalid block number is never cached, and is therefore reported by the slow path.
    long block = map.cachedBlock(inode, position >> blockShift);
    Block leased = block <= 0 ? null : cache.lease(block);
    if (leased == null) {
      return false;
    }
    try {
      if (!inode.lock.validate(stamp)) {
        return false;
      }
      sink.slice(leased, (int) position & (blockBytes - 1), bytes);
    } finally {
      leased.release();
    }
    return true;
  }

  private int sliceWaiting(long number, long position, int count, SliceSink sink)
      throws IOException {
    int offset = (int) position & (blockBytes - 1);
    int bytes;
    Inode inode = inodes.lockToRead(number);
    Buffer buffer;
    try {
      requireContent(inode);
      long left = inode.size - position;
      if (left <= 0) {
        return 0;
      }
      bytes = (int) Math.min(left, Math.min(count, blockBytes - offset));
      long block = map.map(inode, position >> blockShift);
      if (block != 0) {
        readAhead(inode, position >> blockShift, block);
      }
      buffer = block == 0 ? null : cache.read(block);
    } finally {
      inode.unlockRead();
    }
    if (buffer == null) {
      sink.slice(zeros, offset, bytes);
    } else {
      try (buffer) {
        sink.slice(buffer.block(), offset, bytes);
      }
    }
    return bytes;
  }

  /// Reads slices like [#slices], but only if all of them are in memory.
  long trySlices(long number, long position, int count, SliceSink sink) {
    Inode inode = inodes.find(number);
    if (inode == null || position < 0 || count < 0) {
      return FileTree.WOULD_BLOCK;
    }
    long stamp = inode.lock.tryOptimisticRead();
    if (stamp == 0 || !inode.isRegular() || inode.gone) {
      return FileTree.WOULD_BLOCK;
    }
    long bytes = Math.max(0, Math.min(count, inode.size - position));
    if (bytes == 0) {
      return inode.lock.validate(stamp) ? 0 : FileTree.WOULD_BLOCK;
    }
    long first = position >> blockShift;
    @Nullable Block[] leased =
        new Block[(int) (((position + bytes - 1) >> blockShift) - first) + 1];
    try {
      for (int i = 0; i < leased.length; i++) {
        long block = map.cachedBlock(inode, first + i);
        boolean known = block >= 0 && block < blocks;
        leased[i] = known && block > 0 ? cache.lease(block) : null;
        if (!known || (block > 0 && leased[i] == null)) {
          return FileTree.WOULD_BLOCK;
        }
      }
      if (!inode.lock.validate(stamp)) {
        return FileTree.WOULD_BLOCK;
      }
      give(leased, position, (int) bytes, sink);
      return bytes;
    } finally {
      for (Block block : leased) {
        if (block != null) {
          block.release();
        }
      }
    }
  }

  private void give(@Nullable Block[] leased, long position, int bytes, SliceSink sink) {
    int offset = (int) position & (blockBytes - 1);
    int left = bytes;
    for (Block block : leased) {
      int piece = Math.min(left, blockBytes - offset);
      sink.slice(block == null ? zeros : block, offset, piece);
      left -= piece;
      offset = 0;
    }
  }

  // ---- the rest ---------------------------------------------------------------------------------

  long seek(long number, long position, boolean hole) throws IOException {
    Inode inode = inodes.lockToRead(number);
    try {
      requireContent(inode);
      if (position < 0 || position >= inode.size) {
        throw FsException.of(Errno.ENXIO, "seek to " + position + " of " + inode.size + " bytes");
      }
      long end = (inode.size + blockBytes - 1) >> blockShift;
      long from = position >> blockShift;
      long found = hole ? map.nextHole(inode, from, end) : map.nextData(inode, from, end);
      if (found >= end && !hole) {
        throw FsException.of(Errno.ENXIO, "no data behind " + position);
      }
      return Math.min(inode.size, Math.max(position, found << blockShift));
    } finally {
      inode.unlockRead();
    }
  }

  byte[] readLink(long number) throws IOException {
    Inode inode = inodes.lockToRead(number);
    try {
      if (!inode.isSymlink()) {
        throw FsException.of(Errno.EINVAL, "inode " + number + " is no symbolic link");
      }
      byte[] target = new byte[(int) inode.size];
      if (inode.isFastSymlink(blockBytes)) {
        for (int i = 0; i < target.length; i++) {
          target[i] = (byte) (inode.block[i >> 2] >>> ((i & 3) << 3));
        }
        return target;
      }
      long block = map.map(inode, 0);
      if (block == 0) {
        throw FsException.corrupt(number, -1, "a symbolic link without content");
      }
      try (Buffer buffer = cache.read(block)) {
        buffer.get(0, target, 0, target.length);
      }
      return target;
    } finally {
      inode.unlockRead();
    }
  }

  /// Updates the access time of a file or directory, unless it was already updated both since the
  /// last change and within the last day.
  void noteAccess(long number) throws IOException {
    if (!accessTimes || volume.readOnly()) {
      return;
    }
    long now = Volume.now();
    Inode seen = inodes.get(number);
    if ((!seen.accessDue && now - seen.accessNanos < DAY_NANOS)
        || table.storable(seen, now) <= seen.accessNanos) {
      return;
    }
    try (Operation op = volume.begin(1)) {
      Inode inode = inodes.lockToChange(number);
      try {
        if ((inode.flags & InodeLayout.FLAG_NO_ACCESS_TIME) == 0) {
          long time = table.storable(inode, now);
          if (time > inode.accessNanos) {
            inode.touch(AttributeChange.ACCESS, time);
            table.store(op, inode);
          }
        }
        op.done();
      } finally {
        inode.unlock();
      }
    }
  }
}
