package sluice.fs.ext2;

import java.io.IOException;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// Changes the attributes of files by performing `chmod`, `chown`, `truncate` and `utimensat` in a
/// single step. This class is thread-safe.
final class AttributeWriter {
  private static final int ENDS_CAPABILITIES =
      AttributeChange.SIZE
          | AttributeChange.UID
          | AttributeChange.GID
          | AttributeChange.KILL_SET_ID;

  private final Volume volume;
  private final InodeCache inodes;
  private final InodeTable table;
  private final FileCapabilities capabilities;
  private final FileWriter writer;

  AttributeWriter(Volume volume, Ext2Parts parts, FileWriter writer) {
    this.volume = volume;
    inodes = parts.inodes;
    table = parts.table;
    capabilities = parts.capabilities;
    this.writer = writer;
  }

  void set(Caller caller, long number, AttributeChange change) throws IOException {
    int credits = change.has(AttributeChange.SIZE) ? FileWriter.CREDITS : 1;
    boolean whole = false;
    if (change.has(ENDS_CAPABILITIES) && !capabilities.areGone(inodes.find(number), number)) {
      capabilities.drop(number, inode -> check(caller, inode, change));
    }
    while (!whole) {
      try (Operation op = volume.begin(credits)) {
        Inode inode = inodes.lockToChange(number);
        try {
          check(caller, inode, change);
          whole = !change.has(AttributeChange.SIZE) || writer.resize(op, inode, change.sizeBytes());
          if (whole) {
            apply(caller, inode, change);
          } else {
            inode.mode = Permissions.withoutSetId(caller, inode, false);
            inode.touch(AttributeChange.MODIFY | Inode.CHANGED, now(inode));
          }
          table.store(op, inode);
          op.done();
        } finally {
          inode.unlock();
        }
      }
    }
  }

  private long now(Inode inode) {
    return table.storable(inode, Volume.now());
  }

  private void check(Caller caller, Inode inode, AttributeChange change) throws FsException {
    int fixed = InodeLayout.FLAG_IMMUTABLE | InodeLayout.FLAG_APPEND;
    boolean touchOnly =
        (change.set() & ~(AttributeChange.ACCESS | AttributeChange.MODIFY)) == 0
            && isCurrentTime(change)
            && (inode.flags & InodeLayout.FLAG_IMMUTABLE) == 0;
    if ((inode.flags & fixed) != 0 && !touchOnly) {
      throw FsException.of(Errno.EPERM, "inode " + inode.number + " is immutable or append-only");
    }
    if (change.has(AttributeChange.SIZE)) {
      checkSize(caller, inode, change);
    }
    if (change.has(AttributeChange.MODE)) {
      Permissions.requireOwner(caller, inode);
    }
    if (!caller.privileged()) {
      checkOwner(caller, inode, change);
    }
    checkTimes(caller, inode, change);
  }

  private void checkSize(Caller caller, Inode inode, AttributeChange change) throws FsException {
    if (change.sizeBytes() < 0) {
      throw FsException.of(Errno.EINVAL, "a length of " + change.sizeBytes());
    }
    FileContent.requireContent(inode);
    if (!change.has(AttributeChange.OPENED)) {
      Permissions.require(caller, inode, FileTree.WRITE);
    }
    if (change.sizeBytes() > volume.geometry.maxFileBytes()) {
      throw FsException.of(Errno.EFBIG, "a length of " + change.sizeBytes());
    }
  }

  private static void checkOwner(Caller caller, Inode inode, AttributeChange change)
      throws FsException {
    boolean owner = caller.uid() == inode.uid;
    if (change.has(AttributeChange.UID) && (!owner || change.uid() != inode.uid)) {
      throw FsException.of(Errno.EPERM, "only root may change the owner of a file");
    }
    boolean group = change.gid() == inode.gid || caller.inGroup(change.gid());
    if (change.has(AttributeChange.GID) && (!owner || !group)) {
      throw FsException.of(Errno.EPERM, "not a group of " + caller);
    }
  }

  private static boolean isCurrentTime(AttributeChange change) {
    boolean access =
        !change.has(AttributeChange.ACCESS) || change.accessNanos() == AttributeChange.NOW;
    boolean modify =
        !change.has(AttributeChange.MODIFY) || change.modifyNanos() == AttributeChange.NOW;
    return access && modify;
  }

  private static void checkTimes(Caller caller, Inode inode, AttributeChange change)
      throws FsException {
    boolean times = change.has(AttributeChange.ACCESS | AttributeChange.MODIFY);
    if (!times || caller.privileged() || caller.uid() == inode.uid) {
      return;
    }
    boolean both =
        change.has(AttributeChange.ACCESS)
            && change.has(AttributeChange.MODIFY)
            && isCurrentTime(change);
    if (!both) {
      Permissions.requireOwner(caller, inode);
    }
    Permissions.require(caller, inode, FileTree.WRITE);
  }

  private void apply(Caller caller, Inode inode, AttributeChange change) {
    long now = now(inode);
    int times = Inode.CHANGED;
    if (change.has(AttributeChange.SIZE)) {
      inode.mode = Permissions.withoutSetId(caller, inode, false);
      times |= AttributeChange.MODIFY;
    }
    if (change.has(AttributeChange.KILL_SET_ID)) {
      inode.mode = Permissions.withoutSetId(caller, inode, true);
    }
    if (change.has(AttributeChange.UID | AttributeChange.GID)) {
      inode.mode = Permissions.withoutSetId(caller, inode, true);
      inode.uid = change.has(AttributeChange.UID) ? change.uid() : inode.uid;
      inode.gid = change.has(AttributeChange.GID) ? change.gid() : inode.gid;
    }
    if (change.has(AttributeChange.MODE)) {
      int permissions = change.mode() & 0xFFF;
      if (!caller.privileged() && !caller.inGroup(inode.gid)) {
        permissions &= ~Permissions.SET_GID;
      }
      inode.mode = (inode.mode & FileKind.MODE_MASK) | permissions;
    }
    inode.touch(times, now);
    if (change.has(AttributeChange.ACCESS)) {
      inode.touch(AttributeChange.ACCESS, time(inode, change.accessNanos(), now));
    }
    if (change.has(AttributeChange.MODIFY)) {
      inode.touch(AttributeChange.MODIFY, time(inode, change.modifyNanos(), now));
    }
  }

  private long time(Inode inode, long wished, long now) {
    return wished == AttributeChange.NOW ? now : table.storable(inode, wished);
  }
}
