package sluice.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.NameCalls;

/// What `-a` keeps of files that come out of an image: owner and group, all bits of the mode,
/// times, hard links, extended attributes, device files, as far as whoever runs it may. Of the
/// command's thread.
final class ArchiveOut {
  private static final int SET_ID = 06000;

  private final FileTree tree;
  private final LeftOut leftOut;
  private final Map<Long, Path> linked = new HashMap<>();

  ArchiveOut(FileTree tree, LeftOut leftOut) {
    this.tree = tree;
    this.leftOut = leftOut;
  }

  /// Where another name of the same file was copied to.
  @Nullable Path copied(FileAttributes a) {
    return a.links() > 1 && !a.isDirectory() ? linked.get(a.inode()) : null;
  }

  /// Makes a device file, pipe or socket.
  ///
  /// @return false when it is left out
  boolean special(FileAttributes a, Path target) throws IOException {
    byte[] name = HostCall.bytes(target.toString());
    int mode = a.kind().modeBits() | 0600;
    int made = NameCalls.mknodat(Files.AT_FDCWD, name, mode, a.deviceMajor(), a.deviceMinor());
    if (made == -Errno.EPERM) {
      leftOut.tell(target + ": only root may make a device file. Fix: run as root");
      return false;
    }
    HostCall.check(made, "mknodat", target);
    return true;
  }

  /// Last of all, when nothing else changes the copy any more.
  void keep(FileAttributes a, Path target) throws IOException {
    if (a.links() > 1 && !a.isDirectory()) {
      linked.put(a.inode(), target);
    }
    int fd = HostCall.open(target, Files.O_PATH | Files.O_NOFOLLOW, 0);
    try {
      int kept = a.permissions();
      int given = AttributeCalls.chown(fd, a.uid(), a.gid());
      if (given == -Errno.EPERM) {
        leftOut.owner(target);
        kept &= ~SET_ID; // not with the rights of somebody else
      } else {
        HostCall.check(given, "fchownat", target);
      }
      if (a.kind() == FileKind.REGULAR || a.isDirectory()) {
        attributes(a.inode(), fd, target);
      }
      if (a.kind() != FileKind.SYMLINK) {
        HostCall.check(AttributeCalls.chmod(HostCall.path(fd), kept), "fchmodat", target);
      }
      int timed = AttributeCalls.utimens(fd, a.accessNanos(), 0, a.modifyNanos(), 0);
      HostCall.check(timed, "utimensat", target);
    } finally {
      Files.close(fd);
    }
  }

  private void attributes(long inode, int fd, Path target) throws IOException {
    byte[] names = tree.extendedAttributes(Caller.ROOT, inode);
    int start = 0;
    for (int i = 0; i < names.length; i++) {
      if (names[i] == 0) {
        byte[] name = Arrays.copyOfRange(names, start, i);
        byte[] value = tree.extendedAttribute(Caller.ROOT, inode, name);
        int set = AttributeCalls.setxattr(HostCall.path(fd), name, value, 0);
        if (set < 0) {
          String why = Errno.name(-set) + " (" + Errno.describe(-set) + ")";
          leftOut.tell(target + ": its attribute " + MountedImage.text(name) + ": " + why);
        }
        start = i + 1;
      }
    }
  }
}
