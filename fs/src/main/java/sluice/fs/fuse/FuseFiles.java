package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.TreeStatus;
import sluice.sys.Errno;

/// Handles requests for content and for the entire tree: OPEN, READ, WRITE, FSYNC, FALLOCATE, LSEEK
/// and STATFS. Instances are confined to one worker.
final class FuseFiles {
  /// The size above which a read is considered slow even if the content is in memory.
  private static final int SMALL = 16_384;

  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  private final FuseExchange x;

  FuseFiles(FuseExchange exchange) {
    x = exchange;
  }

  /// Handles OPEN. Because the kernel checks permissions itself, no message is required in order to
  /// open a file. A kernel that supports this is informed once by `ENOSYS`.
  ///
  /// @return 0 or a positive errno
  int open(int support, int openFlags) {
    if (x.session.agreed(support)) {
      return Errno.ENOSYS;
    }
    x.reply.body(FuseLayout.OPEN_OUT_BYTES);
    x.reply.setInt(FuseLayout.OPEN_OUT_FLAGS, openFlags);
    return 0;
  }

  /// Handles READ. Cached blocks are sent without copying them. If the content consists of more
  /// slices than can be sent by a single system call, it is copied.
  void read() throws IOException {
    x.request.require(FuseLayout.IO_BYTES);
    long inode = x.inode();
    long position = x.request.longAt(FuseLayout.IO_OFFSET);
    int count = count();
    if (count <= SMALL
        && isRead(inode)
        && x.tree.tryRead(inode, position, count, x.reply) != FileTree.WOULD_BLOCK) {
      return;
    }
    x.slow();
    x.tree.slices(inode, position, count, x.reply);
    if (x.reply.overflown()) {
      int bytes = x.tree.read(inode, position, x.memory, FuseExchange.CONTENT, count);
      x.reply.content(x.buffer, FuseExchange.CONTENT, bytes);
    }
  }

  /// Returns true if a read does not have to update the access time.
  private boolean isRead(long inode) {
    FileAttributes a = x.tree.tryAttributes(inode);
    return a != null
        && (x.session.readOnly || a.accessNanos() > Math.max(a.modifyNanos(), a.changeNanos()));
  }

  private int count() throws FsException {
    int count = x.request.intAt(FuseLayout.IO_SIZE);
    if (count < 0 || count > FuseSession.MAX_TRANSFER) {
      throw FsException.of(Errno.EINVAL, "a FUSE message about " + count + " bytes");
    }
    return count;
  }

  void write() throws IOException {
    x.request.require(FuseLayout.IO_BYTES);
    int count = count();
    if (count > x.request.bodyBytes() - FuseLayout.IO_BYTES) {
      throw FsException.of(Errno.EINVAL, "a FUSE message with less content than it declares");
    }
    int flags = x.request.intAt(FuseLayout.IO_FLAGS);
    boolean kill = (flags & FuseOpcode.WRITE_KILL_SUIDGID) != 0;
    Caller caller = kill ? x.withoutPrivilege() : x.caller();
    long position = x.request.longAt(FuseLayout.IO_OFFSET);
    long from = x.request.bodyOffset() + (long) FuseLayout.IO_BYTES;
    int done = x.tree.write(caller, x.inode(), position, x.memory, from, count);
    x.session.unflushed.changed(x.inode());
    x.reply.body(8);
    x.reply.setInt(0, done);
  }

  void sync() throws IOException {
    x.request.require(FuseLayout.FSYNC_BYTES);
    int flags = x.request.intAt(FuseLayout.FSYNC_FLAGS);
    x.tree.sync(x.inode(), (flags & FuseOpcode.FSYNC_FDATASYNC) != 0);
  }

  void allocate() throws IOException {
    x.request.require(FuseLayout.FALLOCATE_BYTES);
    x.tree.allocate(
        x.changing(),
        x.inode(),
        x.request.intAt(FuseLayout.FALLOCATE_MODE),
        x.request.longAt(FuseLayout.FALLOCATE_OFFSET),
        x.request.longAt(FuseLayout.FALLOCATE_LENGTH));
    x.session.unflushed.changed(x.inode());
  }

  void seek() throws IOException {
    x.request.require(FuseLayout.LSEEK_BYTES);
    int whence = x.request.intAt(FuseLayout.LSEEK_WHENCE);
    if (whence != SEEK_DATA && whence != SEEK_HOLE) {
      throw FsException.of(Errno.EINVAL, "whence " + whence + " of lseek");
    }
    long position = x.request.longAt(FuseLayout.LSEEK_OFFSET);
    long found = x.tree.seek(x.inode(), position, whence == SEEK_HOLE);
    x.reply.body(8);
    x.reply.setLong(0, found);
  }

  void status() throws IOException {
    TreeStatus s = x.tree.status();
    FuseReply reply = x.reply;
    reply.body(FuseLayout.STATFS_BYTES);
    reply.setLong(FuseLayout.STATFS_BLOCKS, s.blocks());
    reply.setLong(FuseLayout.STATFS_BFREE, s.freeBlocks());
    reply.setLong(FuseLayout.STATFS_BAVAIL, s.availableBlocks());
    reply.setLong(FuseLayout.STATFS_FILES, s.inodes());
    reply.setLong(FuseLayout.STATFS_FFREE, s.freeInodes());
    reply.setInt(FuseLayout.STATFS_BSIZE, s.blockBytes());
    reply.setInt(FuseLayout.STATFS_NAMELEN, s.nameBytes());
    reply.setInt(FuseLayout.STATFS_FRSIZE, s.blockBytes());
  }
}
