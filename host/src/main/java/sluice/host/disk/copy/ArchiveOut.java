package sluice.host.disk.copy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.NameCalls;

/// Copies the metadata that `-a` preserves from an image to this machine. This includes the owner,
/// the group, all mode bits, the times, hard links, extended attributes, access control lists and
/// device files, as far as the user has the required permissions. Instances are confined to the
/// thread of the command.
final class ArchiveOut {
  private static final int SET_ID = 06000;

  private final Ext2 tree;
  private final CopyWarnings warnings;
  private final Map<Long, Path> linked = new HashMap<>();

  ArchiveOut(Ext2 tree, CopyWarnings warnings) {
    this.tree = tree;
    this.warnings = warnings;
  }

  /// Returns the file to which another hard link of the same source file has been copied, or null
  /// if there is none.
  @Nullable Path copied(FileAttributes a) {
    return a.links() > 1 && !a.isDirectory() ? linked.get(a.inode()) : null;
  }

  /// Creates a device file, pipe or socket.
  ///
  /// @return false if the file is not copied
  boolean special(FileAttributes a, Path target) throws IOException {
    byte[] name = HostSystemCalls.bytes(target);
    int mode = a.kind().modeBits() | 0600;
    int made = NameCalls.mknodat(Files.AT_FDCWD, name, mode, a.deviceMajor(), a.deviceMinor());
    if (made == -Errno.EPERM) {
      warnings.tell(target + ": only root may make a device file. Fix: run as root");
      return false;
    }
    HostSystemCalls.check(made, "mknodat", target);
    return true;
  }

  /// Copies the metadata of a file. This method must be called after all other changes of the copy.
  void keep(FileAttributes a, Path target) throws IOException {
    if (a.links() > 1 && !a.isDirectory()) {
      linked.put(a.inode(), target);
    }
    int fd = HostSystemCalls.open(target, Files.O_PATH | Files.O_NOFOLLOW, 0);
    try {
      int kept = a.permissions();
      int given = AttributeCalls.chown(fd, a.uid(), a.gid());
      if (given == -Errno.EPERM) {
        warnings.owner(target);
        kept &= ~SET_ID; // must not grant the rights of others
      } else {
        HostSystemCalls.check(given, "fchownat", target);
      }
      if (a.kind() != FileKind.SYMLINK) {
        attributes(a.inode(), fd, target);
        lists(a, fd, target); // before the mode, whose group bits are the mask of a list
        HostSystemCalls.check(
            AttributeCalls.chmod(HostSystemCalls.path(fd), kept), "fchmodat", target);
      }
      int timed = AttributeCalls.utimens(fd, a.accessNanos(), 0, a.modifyNanos(), 0);
      HostSystemCalls.check(timed, "utimensat", target);
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
        attribute(inode, fd, name, target);
        start = i + 1;
      }
    }
  }

  private void attribute(long inode, int fd, byte[] name, Path target) throws IOException {
    String why = "";
    try {
      byte[] value = tree.extendedAttribute(Caller.ROOT, inode, name);
      int set = AttributeCalls.setxattr(HostSystemCalls.path(fd), name, value, 0);
      why = set < 0 ? why(set) : "";
    } catch (FsException e) {
      why = String.valueOf(e.getMessage());
    }
    if (!why.isEmpty()) {
      warnings.tell(target + ": its attribute " + MountedImage.text(name) + ": " + why);
    }
  }

  private static String why(int failed) {
    return Errno.name(-failed) + " (" + Errno.describe(-failed) + ")";
  }

  private void lists(FileAttributes a, int fd, Path target) throws IOException {
    for (boolean ofNewFiles : new boolean[] {false, true}) {
      try {
        byte[] list = tree.accessControlList(a.inode(), ofNewFiles);
        if (list != null) {
          list(
              fd,
              ofNewFiles ? HostSystemCalls.DEFAULT_LIST : HostSystemCalls.ACCESS_LIST,
              list,
              target);
        }
      } catch (FsException e) {
        warnings.tell(target + ": its access control list: " + e.getMessage());
      }
    }
  }

  /// Sets an access control list. If the file system does not support access control lists, this
  /// applies to all files and is therefore reported only once.
  private void list(int fd, byte[] name, byte[] list, Path target) {
    int set = AttributeCalls.setxattr(HostSystemCalls.path(fd), name, list, 0);
    if (set == -Errno.EOPNOTSUPP) {
      warnings.list(target);
    } else if (set < 0) {
      warnings.tell(target + ": its access control list: " + why(set));
    }
  }
}
