package sluice.fs.ext2;

import java.io.IOException;
import java.util.Objects;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.SpaceWait;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// Changes the content of files: writes, truncates and extends files, allocates blocks, and punches
/// holes. This class is thread-safe.
///
/// A change that affects many blocks is split into several operations, each of which leaves the
/// file consistent. For example, a long truncation shortens the file step by step. The bytes
/// between the end of a file and the end of its last block are always zeros.
final class FileWriter {
  /// The number of metadata blocks that an operation may change if it allocates or frees blocks.
  static final int CREDITS = 64;

  /// The maximum number of content blocks that are written by a single operation.
  private static final int MAX_BLOCKS = 256;

  private static final int NOT_ALL_MAPPED = -1;

  /// The flags of files that must not be overwritten in place.
  private static final int NOT_BYTES_ONLY =
      InodeLayout.FLAG_IMMUTABLE | InodeLayout.FLAG_APPEND | InodeLayout.FLAG_JOURNAL_DATA;

  private final Volume volume;
  private final Geometry geometry;
  private final InodeCache inodes;
  private final InodeTable table;
  private final BlockMap map;
  private final BlockAllocator allocator;
  private final FileCapabilities capabilities;

  FileWriter(Volume volume, Ext2Parts parts) {
    this.volume = volume;
    inodes = parts.inodes;
    table = parts.table;
    map = parts.map;
    allocator = parts.blockAllocator;
    capabilities = parts.capabilities;
    geometry = volume.geometry;
  }

  /// The source, the target and the caller of a write.
  private record Source(Caller caller, Memory memory, long offset, long position, int count) {}

  // ---- writing ----------------------------------------------------------------------------------

  int write(Caller caller, long number, long position, Memory from, long at, int count)
      throws IOException {
    if (position < 0 || count < 0) {
      throw FsException.of(Errno.EINVAL, "write at " + position + ", " + count + " bytes");
    }
    Objects.checkFromIndexSize(at, count, from.lengthBytes());
    if (count > 0) {
      byte _ = from.get(at); // a revoked source fails before the first change
    }
    int wanted = (int) Math.min(count, Math.max(0, geometry.maxFileBytes() - position));
    Inode known = wanted == 0 ? null : inodes.find(number);
    if (wanted > 0 && !capabilities.areGone(known, number)) {
      capabilities.drop(number, inode -> check(inode, position, count));
    }
    int done =
        known == null ? 0 : tryOverwrite(known, new Source(caller, from, at, position, wanted));
    if (done > 0 && done == wanted) {
      return done;
    }
    SpaceWait wait = null;
    do {
      long freed = volume.groups.releases();
      int most = (MAX_BLOCKS << geometry.blockShift) - offset(position + done);
      int piece = Math.min(wanted - done, most);
      Source source = new Source(caller, from, at + done, position + done, piece);
      int bytes = extendsFile(number, source) ? NOT_ALL_MAPPED : rewrite(number, source, count);
      if (bytes == NOT_ALL_MAPPED) {
        bytes = writePiece(number, source);
      }
      done += bytes;
      if (bytes > 0) {
        wait = null;
      } else if (done < wanted) {
        wait = wait == null ? new SpaceWait() : wait;
        if (!wait.mayTryAgain() || !volume.groups.awaitBlocks(freed)) {
          break;
        }
      }
    } while (done < wanted);
    if (done == 0 && wanted > 0) {
      throw FsException.of(Errno.ENOSPC, "write of inode " + number + ": no block is available");
    }
    return done;
  }

  private int offset(long position) {
    return (int) position & (geometry.blockBytes - 1);
  }

  /// Returns true if an in-place rewrite would fail because the write extends the file. The result
  /// is only a hint because no lock is acquired.
  private boolean extendsFile(long number, Source source) {
    Inode inode = inodes.find(number);
    return source.count > 0 && inode != null && source.position + source.count > inode.size;
  }

  private void check(Inode inode, long position, int asked) throws FsException {
    FileContent.requireContent(inode);
    boolean append = (inode.flags & InodeLayout.FLAG_APPEND) != 0 && position < inode.size;
    if ((inode.flags & InodeLayout.FLAG_IMMUTABLE) != 0 || append) {
      throw FsException.of(Errno.EPERM, "inode " + inode.number + " is immutable or append-only");
    }
    if (asked > 0 && position >= geometry.maxFileBytes()) {
      throw FsException.of(Errno.EFBIG, "write at " + position);
    }
  }

  /// Overwrites bytes of blocks that are in memory, are already waiting to be written to the
  /// device, and were changed within the current tick of the clock. In this case only the bytes
  /// change, and no operation is required. The version of the inode is not incremented because no
  /// thread has observed the version of the earlier change yet.
  ///
  /// @return the number of bytes written; the remaining bytes must be written by [#rewrite]
  private int tryOverwrite(Inode inode, Source source) {
    if (source.position + source.count > inode.size) {
      return 0; // before taking the lock, which would be useless
    }
    long stamp = inode.lock.tryWriteLock();
    if (stamp == 0) {
      return 0;
    }
    int done = 0;
    try {
      if (!bytesOnly(inode, source)) {
        return 0;
      }
      int put;
      do {
        put = overwriteRun(inode, source, done);
        done += put;
      } while (put > 0 && done < source.count);
    } finally {
      inode.lock.unlockWrite(stamp);
    }
    return done;
  }

  /// Overwrites a single run of contiguous device blocks.
  ///
  /// @return the number of bytes written
  private int overwriteRun(Inode inode, Source source, int done) {
    long position = source.position + done;
    long logical = position >> geometry.blockShift;
    long block = map.cachedBlock(inode, logical);
    if (block <= 0) {
      return 0;
    }
    int offset = offset(position);
    int bytes = source.count - done;
    if (bytes > geometry.blockBytes - offset) {
      int run = map.cachedRun(inode, logical, block, (position + bytes - 1) >> geometry.blockShift);
      bytes = (int) Math.min(bytes, ((long) run << geometry.blockShift) - offset);
    }
    return volume.journal.tryOverwrite(block, offset, source.memory, source.offset + done, bytes);
  }

  private boolean bytesOnly(Inode inode, Source source) {
    if (inode.gone
        || inode.isVersionTold()
        || !inode.isAlive()
        || !inode.isRegular()
        || (inode.flags & NOT_BYTES_ONLY) != 0
        || source.position + source.count > inode.size
        || volume.readOnly()) {
      return false;
    }
    long now = table.storable(inode, Volume.now());
    return isStamped(inode, now, Permissions.withoutSetId(source.caller, inode, false));
  }

  private static boolean isStamped(Inode inode, long now, int mode) {
    return now == inode.modifyNanos && now == inode.changeNanos && mode == inode.mode;
  }

  /// Overwrites mapped blocks. The times are the only metadata that is changed.
  private int rewrite(long number, Source source, int asked) throws IOException {
    int limit = source.count;
    long position = source.position;
    try (Operation op = volume.begin(2)) {
      Inode inode = inodes.lockToChange(number);
      try {
        check(inode, position, asked);
        if (limit == 0) {
          return 0;
        }
        boolean journaled = (inode.flags & InodeLayout.FLAG_JOURNAL_DATA) != 0;
        if (journaled || position + limit > inode.size || !isMapped(inode, position, limit)) {
          return NOT_ALL_MAPPED;
        }
        Piece piece = new Piece(op, inode, source);
        while (piece.done < limit) {
          long logical = piece.logical();
          piece.overwrite(logical, map.map(inode, logical));
        }
        written(op, inode, source.caller);
        op.done();
        return piece.done;
      } finally {
        inode.unlock();
      }
    }
  }

  private boolean isMapped(Inode inode, long position, int count) throws IOException {
    long end = (position + count - 1) >> geometry.blockShift;
    long logical = position >> geometry.blockShift;
    while (logical <= end) {
      long block = map.map(inode, logical);
      if (block == 0) {
        return false;
      }
      logical += map.cachedRun(inode, logical, block, end);
    }
    return true;
  }

  private void written(Operation op, Inode inode, Caller caller) throws IOException {
    long now = table.storable(inode, Volume.now());
    int mode = Permissions.withoutSetId(caller, inode, false);
    if (isStamped(inode, now, mode) && !inode.isVersionTold()) {
      return;
    }
    inode.mode = mode;
    inode.touch(AttributeChange.MODIFY | Inode.CHANGED, now);
    table.store(op, inode);
  }

  /// Runs one operation of a write that extends the file or fills holes.
  private int writePiece(long number, Source source) throws IOException {
    try (Operation op = volume.begin(CREDITS)) {
      Inode inode = inodes.lockToChange(number);
      try {
        check(inode, source.position, source.count);
        Piece piece = new Piece(op, inode, source);
        piece.write();
        if (piece.done > 0) {
          inode.size = Math.max(inode.size, source.position + piece.done);
          inode.mode = Permissions.withoutSetId(source.caller, inode, false);
          long now = table.storable(inode, Volume.now());
          inode.touch(AttributeChange.MODIFY | Inode.CHANGED, now);
          table.store(op, inode);
        }
        op.done();
        return piece.done;
      } finally {
        inode.unlock();
      }
    }
  }

  private final class Piece {
    private final Operation op;
    private final Inode inode;
    private final Source source;
    private final long position;
    private final int count;
    int done;

    Piece(Operation op, Inode inode, Source source) {
      this.op = op;
      this.inode = inode;
      this.source = source;
      position = source.position;
      count = source.count;
    }

    void write() throws IOException {
      if (position > inode.size) {
        zeroTail(op, inode);
      }
      while (done < count && op.room() >= BlockMap.ROOM_TO_FREE) {
        long logical = logical();
        long block = map.map(inode, logical);
        if (block != 0) {
          overwrite(logical, block);
        } else if (!fillHole(logical)) {
          return;
        }
      }
    }

    /// Returns the next block of the file to be written.
    long logical() {
      return (position + done) >> geometry.blockShift;
    }

    private long last() {
      return (position + count - 1) >> geometry.blockShift;
    }

    /// Writes the bytes that belong to a run of mapped blocks.
    void overwrite(long logical, long block) throws IOException {
      boolean journaled = (inode.flags & InodeLayout.FLAG_JOURNAL_DATA) != 0;
      put(block, journaled ? 1 : map.cachedRun(inode, logical, block, last()), false);
    }

    private boolean fillHole(long logical) throws IOException {
      int wanted = (int) Math.min(last() - logical + 1, map.sameLeaf(logical));
      int run = map.holes(inode, logical, Math.min(wanted, mostFresh(op, inode)));
      long extent = allocate(op, inode, logical, run, source.caller);
      long block = extent & 0xFF_FFFF_FFFFL;
      long blocks = extent >>> 40;
      while (done < count && logical() < logical + blocks) {
        long next = logical() - logical;
        put(block + next, (int) (blocks - next), true);
      }
      return blocks > 0;
    }

    /// Writes whole blocks of a run if the position is aligned to a block. Otherwise, writes the
    /// bytes that belong to the first block.
    ///
    /// @param fresh true if the blocks were allocated by this operation, so that they have no old
    ///   content
    private void put(long block, int run, boolean fresh) throws IOException {
      int offset = offset(position + done);
      int left = count - done;
      int whole = offset == 0 ? Math.min(run, left >> geometry.blockShift) : 0;
      if (whole > 0) {
        op.overwrite(inode, block, whole, source.memory, source.offset + done);
        done += whole << geometry.blockShift;
        return;
      }
      int bytes = Math.min(left, geometry.blockBytes - offset);
      try (Buffer buffer = op.content(inode, block, fresh)) {
        source.memory.copyTo(source.offset + done, buffer.block(), offset, bytes);
      }
      done += bytes;
    }
  }

  /// Returns the maximum number of new content blocks that an operation can write. Content blocks
  /// are subject to the limit of the operation only if they are journaled.
  private static int mostFresh(Operation op, Inode inode) {
    boolean journaled = (inode.flags & InodeLayout.FLAG_JOURNAL_DATA) != 0;
    return journaled ? op.room() - BlockMap.ROOM_TO_FREE + 1 : MAX_BLOCKS;
  }

  /// Allocates a run of blocks and attaches it in place of a hole.
  ///
  /// @return the first block in the low 40 bits and the number of blocks in the bits above, or 0 if
  ///   no space is left
  private long allocate(Operation op, Inode inode, long logical, int wanted, Caller caller)
      throws IOException {
    int pointers = map.missingPointers(inode, logical);
    int granted = volume.groups.reserve(wanted + pointers, caller);
    if (granted <= pointers) {
      volume.groups.unreserve(granted);
      return 0;
    }
    op.promise(granted);
    int blocks = granted - pointers;
    long extent = allocator.allocate(op, map.goal(inode, logical), blocks);
    int got = (int) (extent >>> 40);
    volume.groups.unreserve(blocks - got);
    op.promise(got - blocks);
    map.attach(op, inode, logical, extent & 0xFF_FFFF_FFFFL, got);
    return extent;
  }

  // ---- cutting and extending --------------------------------------------------------------------

  /// Writes zeros from the end of the file to the end of its last block, because another
  /// implementation may have left data there.
  private void zeroTail(Operation op, Inode inode) throws IOException {
    zero(op, inode, inode.size, (int) (-inode.size & (geometry.blockBytes - 1)));
  }

  private void zero(Operation op, Inode inode, long position, int bytes) throws IOException {
    long block = bytes == 0 ? 0 : map.map(inode, position >> geometry.blockShift);
    if (block != 0) {
      try (Buffer buffer = op.content(inode, block, false)) {
        buffer.fill(offset(position), bytes, 0);
      }
    }
  }

  /// Sets the length of a file. The caller must hold the write lock and must store the inode.
  ///
  /// @return false if the operation could not perform the whole change; in this case the file has
  ///   been shortened partially, and the caller must store it and call this method again in another
  ///   operation
  boolean resize(Operation op, Inode inode, long size) throws IOException {
    if (size > inode.size) {
      zeroTail(op, inode);
      inode.size = size;
      return true;
    }
    long from = (size + geometry.blockBytes - 1) >> geometry.blockShift;
    zero(op, inode, size, (int) (-size & (geometry.blockBytes - 1)));
    long reached = map.free(op, inode, from, geometry.maxFileBlocks());
    boolean whole = reached == from;
    inode.size = whole ? size : Math.min(inode.size, reached << geometry.blockShift);
    return whole;
  }

  // ---- fallocate --------------------------------------------------------------------------------

  void allocate(Caller caller, long number, int flags, long position, long length)
      throws IOException {
    if (position < 0 || length <= 0) {
      throw FsException.of(Errno.EINVAL, "allocate at " + position + ", " + length + " bytes");
    }
    boolean punch = (flags & FileTree.PUNCH_HOLE) != 0;
    boolean keep = (flags & FileTree.KEEP_SIZE) != 0;
    if ((flags & ~(FileTree.PUNCH_HOLE | FileTree.KEEP_SIZE)) != 0 || (punch && !keep)) {
      throw FsException.of(Errno.EOPNOTSUPP, "flags " + flags + " of allocate");
    }
    if (length > geometry.maxFileBytes() - position) {
      throw FsException.of(Errno.EFBIG, "allocate at " + position + ", " + length + " bytes");
    }
    if (!capabilities.areGone(inodes.find(number), number)) {
      capabilities.drop(number, FileWriter::requireAllocatable);
    }
    SpaceWait wait = null;
    long at = position;
    long end = position + length;
    while (at < end) {
      long freed = volume.groups.releases();
      long reached =
          punch
              ? punchPiece(caller, number, at, end)
              : allocatePiece(caller, number, keep, at, end);
      if (punch) {
        end = reached;
      } else if (reached > at) {
        at = reached;
        wait = null;
      } else {
        wait = wait == null ? new SpaceWait() : wait;
        if (!wait.mayTryAgain() || !volume.groups.awaitBlocks(freed)) {
          throw FsException.of(Errno.ENOSPC, "allocate: no block is available");
        }
      }
    }
  }

  private static void requireAllocatable(Inode inode) throws FsException {
    if (inode.isDirectory()) {
      throw FsException.of(Errno.EISDIR, "inode " + inode.number);
    }
    if (!inode.isRegular()) {
      throw FsException.of(Errno.ENODEV, "inode " + inode.number + " has no content");
    }
    Permissions.requireNotFixed(inode);
  }

  /// Allocates blocks for a part of a range in a single operation.
  ///
  /// @return the position up to which blocks have been allocated for the range
  private long allocatePiece(Caller caller, long number, boolean keep, long position, long end)
      throws IOException {
    try (Operation op = volume.begin(CREDITS)) {
      Inode inode = inodes.lockToChange(number);
      try {
        requireAllocatable(inode);
        if (keep && end > ((inode.size + geometry.blockBytes - 1) & -geometry.blockBytes)) {
          throw FsException.of(
              Errno.EOPNOTSUPP, "blocks behind the end: e2fsck would make the file longer");
        }
        if (!keep && position > inode.size) {
          zeroTail(op, inode);
        }
        long first = position >> geometry.blockShift;
        long last = Math.min((end - 1) >> geometry.blockShift, first + MAX_BLOCKS - 1);
        long logical = first;
        while (logical <= last && op.room() >= BlockMap.ROOM_TO_FREE) {
          int run = 0;
          int most = (int) Math.min(last - logical + 1, map.sameLeaf(logical));
          most = Math.min(most, mostFresh(op, inode));
          while (run < most && map.map(inode, logical + run) == 0) {
            run++;
          }
          if (run == 0) {
            logical++;
            continue;
          }
          long extent = allocate(op, inode, logical, run, caller);
          int got = (int) (extent >>> 40);
          for (int i = 0; i < got; i++) {
            op.content(inode, (extent & 0xFF_FFFF_FFFFL) + i, true).close();
          }
          if (got == 0) {
            break;
          }
          logical += got;
        }
        long reached = Math.min(end, Math.max(position, logical << geometry.blockShift));
        if (reached > position) {
          inode.size = keep ? inode.size : Math.max(inode.size, reached);
          finishAllocate(op, inode, caller, keep);
        }
        op.done();
        return reached;
      } finally {
        inode.unlock();
      }
    }
  }

  private void finishAllocate(Operation op, Inode inode, Caller caller, boolean keep)
      throws IOException {
    inode.mode = Permissions.withoutSetId(caller, inode, false);
    int times = keep ? Inode.CHANGED : AttributeChange.MODIFY | Inode.CHANGED;
    inode.touch(times, table.storable(inode, Volume.now()));
    table.store(op, inode);
  }

  /// Punches a hole into a part of a range in a single operation, beginning at the end of the
  /// range.
  ///
  /// @return the position from which on the range is a hole
  private long punchPiece(Caller caller, long number, long position, long end) throws IOException {
    try (Operation op = volume.begin(CREDITS)) {
      Inode inode = inodes.lockToChange(number);
      try {
        requireAllocatable(inode);
        long block = geometry.blockBytes;
        long limit = Math.min(end, (inode.size + block - 1) & -block);
        if (position >= inode.size || limit <= position) {
          return position;
        }
        long from = (position + block - 1) & -block;
        long to = limit & -block;
        if (from > to) {
          zero(op, inode, position, (int) (limit - position));
        } else {
          zero(op, inode, position, (int) (from - position));
          zero(op, inode, to, (int) (limit - to));
        }
        long first = from >> geometry.blockShift;
        long reached = from >= to ? first : map.free(op, inode, first, to >> geometry.blockShift);
        finishAllocate(op, inode, caller, false);
        op.done();
        return reached == first ? position : reached << geometry.blockShift;
      } finally {
        inode.unlock();
      }
    }
  }
}
