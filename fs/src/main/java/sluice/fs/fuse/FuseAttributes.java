package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.sys.Errno;

/// Handles the attribute requests GETATTR, SETATTR, STATX and ACCESS, and writes the attributes in
/// other replies. Instances are confined to one worker.
final class FuseAttributes {
  private static final long NANOS = 1_000_000_000L;
  private static final int STATX_BASIC_STATS = 0x7FF;
  private static final int STATX_BTIME = 0x800;
  private static final int SET_ID = 0xC00;

  /// The SETATTR bits that select an attribute. All other bits describe a handle or a lock.
  private static final int ATTRIBUTES = 0x5BF;

  private final FuseExchange x;

  FuseAttributes(FuseExchange exchange) {
    x = exchange;
  }

  // ---- writing them -----------------------------------------------------------------------------

  /// Writes a `fuse_attr`.
  private void put(int at, FileAttributes a) {
    FuseReply reply = x.reply;
    reply.setLong(at + FuseLayout.ATTR_INO, a.inode());
    reply.setLong(at + FuseLayout.ATTR_SIZE, a.sizeBytes());
    reply.setLong(at + FuseLayout.ATTR_BLOCKS, a.allocatedBytes() >> 9);
    time(at + FuseLayout.ATTR_ATIME, at + FuseLayout.ATTR_ATIME_NSEC, a.accessNanos());
    time(at + FuseLayout.ATTR_MTIME, at + FuseLayout.ATTR_MTIME_NSEC, a.modifyNanos());
    time(at + FuseLayout.ATTR_CTIME, at + FuseLayout.ATTR_CTIME_NSEC, a.changeNanos());
    reply.setInt(at + FuseLayout.ATTR_MODE, a.mode());
    reply.setInt(at + FuseLayout.ATTR_NLINK, a.links());
    reply.setInt(at + FuseLayout.ATTR_UID, a.uid());
    reply.setInt(at + FuseLayout.ATTR_GID, a.gid());
    int minor = a.deviceMinor();
    reply.setInt(
        at + FuseLayout.ATTR_RDEV, (minor & 0xFF) | a.deviceMajor() << 8 | (minor & ~0xFF) << 12);
    reply.setInt(at + FuseLayout.ATTR_BLKSIZE, 4096);
  }

  private void time(int at, int nanosAt, long nanos) {
    x.reply.setLong(at, Math.floorDiv(nanos, NANOS));
    x.reply.setInt(nanosAt, (int) Math.floorMod(nanos, NANOS));
  }

  /// Writes a `fuse_entry_out`.
  void putEntry(int at, FileAttributes a) {
    FuseReply reply = x.reply;
    long valid = x.session.validSeconds;
    reply.setLong(at + FuseLayout.ENTRY_NODEID, x.nodes.swap(a.inode()));
    reply.setLong(at + FuseLayout.ENTRY_GENERATION, Integer.toUnsignedLong(a.generation()));
    reply.setLong(at + FuseLayout.ENTRY_VALID, valid);
    reply.setLong(at + FuseLayout.ENTRY_ATTR_VALID, valid);
    put(at + FuseLayout.ENTRY_ATTR, a);
  }

  private void answer(FileAttributes a) {
    x.reply.body(FuseLayout.ATTR_OUT_BYTES);
    x.reply.setLong(FuseLayout.ATTR_OUT_VALID, validSeconds(a));
    put(FuseLayout.ATTR_OUT_ATTR, a);
  }

  // ---- operations -------------------------------------------------------------------------------

  void get() throws IOException {
    answer(x.attributes(x.inode()));
  }

  void statx() throws IOException {
    x.request.require(FuseLayout.STATX_IN_BYTES);
    FileAttributes a = x.attributes(x.inode());
    FuseReply reply = x.reply;
    int at = FuseLayout.STATX_OUT_STAT;
    reply.body(FuseLayout.STATX_OUT_BYTES);
    reply.setLong(0, validSeconds(a));
    reply.setInt(at, STATX_BASIC_STATS | (a.birthNanos() == 0 ? 0 : STATX_BTIME));
    reply.setInt(at + 4, 4096);
    reply.setInt(at + 16, a.links());
    reply.setInt(at + 20, a.uid());
    reply.setInt(at + 24, a.gid());
    reply.setShort(at + 28, a.mode());
    reply.setLong(at + 32, a.inode());
    reply.setLong(at + 40, a.sizeBytes());
    reply.setLong(at + 48, a.allocatedBytes() >> 9);
    time(at + 64, at + 72, a.accessNanos());
    time(at + 80, at + 88, a.birthNanos());
    time(at + 96, at + 104, a.changeNanos());
    time(at + 112, at + 120, a.modifyNanos());
    reply.setInt(at + 128, a.deviceMajor());
    reply.setInt(at + 132, a.deviceMinor());
  }

  void set() throws IOException {
    FuseRequest request = x.request;
    request.require(FuseLayout.SETATTR_BYTES);
    int valid = request.intAt(FuseLayout.SETATTR_VALID);
    AttributeChange change = AttributeChange.NONE;
    if ((valid & FuseOpcode.FATTR_MODE) != 0) {
      change = change.withMode(request.intAt(FuseLayout.SETATTR_MODE));
    }
    if ((valid & FuseOpcode.FATTR_UID) != 0) {
      change = change.withOwner(request.intAt(FuseLayout.SETATTR_UID));
    }
    if ((valid & FuseOpcode.FATTR_GID) != 0) {
      change = change.withGroup(request.intAt(FuseLayout.SETATTR_GID));
    }
    if ((valid & FuseOpcode.FATTR_SIZE) != 0) {
      change = change.withSizeOfOpened(request.longAt(FuseLayout.SETATTR_SIZE));
    }
    if ((valid & FuseOpcode.FATTR_ATIME) != 0) {
      boolean now = (valid & FuseOpcode.FATTR_ATIME_NOW) != 0;
      change =
          change.withAccess(
              now
                  ? AttributeChange.NOW
                  : nanos(FuseLayout.SETATTR_ATIME, FuseLayout.SETATTR_ATIME_NSEC));
    }
    if ((valid & FuseOpcode.FATTR_MTIME) != 0) {
      boolean now = (valid & FuseOpcode.FATTR_MTIME_NOW) != 0;
      change =
          change.withModify(
              now
                  ? AttributeChange.NOW
                  : nanos(FuseLayout.SETATTR_MTIME, FuseLayout.SETATTR_MTIME_NSEC));
    }
    long inode = x.inode();
    Caller caller = caller(valid);
    boolean kill = (valid & FuseOpcode.FATTR_KILL_SUIDGID) != 0;
    if (kill || (isEmpty(valid) && !caller.keepsSetId())) {
      change = change.withoutSetId();
    }
    if (change.set() != 0) {
      x.tree.setAttributes(caller, inode, change);
      x.session.unflushed.changed(inode);
    }
    answer(x.tree.attributes(inode));
  }

  /// Returns true if a SETATTR selects no attribute. The kernel sends such a request before a
  /// write, a truncation or FALLOCATE that may have to clear the set-user-id and set-group-id bits,
  /// and reads the mode from the reply. Other calls cannot change or execute the file in the
  /// meantime.
  private static boolean isEmpty(int valid) {
    return (valid & ATTRIBUTES) == 0;
  }

  private Caller caller(int valid) throws IOException {
    boolean kill = (valid & FuseOpcode.FATTR_KILL_SUIDGID) != 0;
    if (kill && (valid & (FuseOpcode.FATTR_UID | FuseOpcode.FATTR_GID)) == 0) {
      return x.cutting();
    }
    return kill || isEmpty(valid) ? x.changing() : x.caller();
  }

  /// Returns true if a program in this file runs with the rights of another user or group.
  static boolean isSetId(FileAttributes a) {
    return (a.mode() & SET_ID) != 0 && !a.isDirectory();
  }

  /// Returns the time for which the kernel may cache the attributes. It is 0 for a set-user-id or
  /// set-group-id program, so that the kernel notices that a bit was cleared before it runs the
  /// program.
  private long validSeconds(FileAttributes a) {
    return isSetId(a) ? 0 : x.session.validSeconds;
  }

  /// Returns a time that is contained in the request in nanoseconds, limited to the range of a
  /// `long`.
  private long nanos(int at, int nanosAt) {
    long seconds = x.request.longAt(at);
    long limit = Long.MAX_VALUE / NANOS - 1;
    if (seconds > limit) {
      return Long.MAX_VALUE;
    }
    return seconds < -limit
        ? Long.MIN_VALUE + 1
        : seconds * NANOS + Math.floorMod(x.request.intAt(nanosAt), (int) NANOS);
  }

  /// Checks access rights.
  ///
  /// @return 0 or a positive errno
  int access() throws IOException {
    x.request.require(FuseLayout.ACCESS_BYTES);
    int rights = x.request.intAt(0) & (FileTree.READ | FileTree.WRITE | FileTree.EXECUTE);
    Caller asking = new Caller(x.request.uid(), x.request.gid());
    return x.tree.access(asking, x.inode(), rights) == rights ? 0 : Errno.EACCES;
  }
}
