package sluice.host.disk.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.host.file.UsageException;
import sluice.host.text.TerminalText;

/// Copies files from an image to this machine. Instances are confined to the thread of the command.
///
/// The image may have been created by an attacker, so files must never be written outside of the
/// target. The tree refuses names that could refer to other directories, and existing symbolic
/// links are not followed.
public final class CopyOut {
  private static final int OWNER_MAY_ALL = 0700;
  private static final int OWNER_ALONE = 0600;
  private static final int FOR_ALL = 0777;

  private final Ext2 tree;
  private final ImageCopy copy;
  private final CopyWays ways;
  private final CopyWarnings warnings;
  private final ArchiveOut archive;

  public CopyOut(Ext2 tree, ImageCopy copy, CopyWays ways, CopyWarnings warnings) {
    this.tree = tree;
    this.copy = copy;
    this.ways = ways;
    this.warnings = warnings;
    archive = new ArchiveOut(tree, warnings);
  }

  /// Copies a file or directory to a name in an existing directory.
  ///
  /// @param from the path of the source as specified by the user
  public void copy(String from, long inode, Path target) throws IOException, UsageException {
    if (tree.attributes(inode).isDirectory() && !ways.recursive()) {
      throw new UsageException(from + " is a directory: give -r");
    }
    MountedImage.requireParent(target);
    // The target that was specified by the user may be a symbolic link.
    Path place = Files.exists(target) ? target.toRealPath() : target;
    one(inode, place, false);
  }

  private void one(long inode, Path target, boolean below) throws IOException {
    copy.begin();
    FileAttributes a = tree.attributes(inode);
    if (below && a.kind() != FileKind.SYMLINK && Files.isSymbolicLink(target)) {
      String name = TerminalText.line(target.toString());
      throw new IOException(name + " is a symbolic link, not followed. Fix: remove it first");
    }
    Path twin = ways.archive() ? archive.copied(a) : null;
    if (twin != null) {
      Files.createLink(target, twin);
      return;
    }
    boolean made = true;
    switch (a.kind()) {
      case DIRECTORY -> directory(inode, a, target);
      case SYMLINK -> HostSystemCalls.symlink(tree.readLink(inode), target);
      case REGULAR -> file(inode, a, target, below);
      default -> made = special(a, target);
    }
    if (ways.archive() && made) {
      archive.keep(a, target);
    }
  }

  private boolean special(FileAttributes a, Path target) throws IOException {
    if (ways.archive()) {
      return archive.special(a, target);
    }
    String name = String.valueOf(target.getFileName());
    warnings.tell(name + ": neither file, directory nor link. Fix: give -a, which keeps it");
    return false;
  }

  private void file(long inode, FileAttributes a, Path target, boolean below) throws IOException {
    int flags =
        sluice.sys.Files.O_WRONLY
            | sluice.sys.Files.O_CREAT
            | sluice.sys.Files.O_TRUNC
            | (below ? sluice.sys.Files.O_NOFOLLOW : 0);
    int fd = HostSystemCalls.open(target, flags, ways.archive() ? OWNER_ALONE : a.mode() & FOR_ALL);
    try {
      copy.read(inode, fd, target);
    } finally {
      sluice.sys.Files.close(fd);
    }
    Files.setLastModifiedTime(target, FileTime.from(a.modifyNanos(), TimeUnit.NANOSECONDS));
  }

  private void directory(long inode, FileAttributes a, Path target) throws IOException {
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(target, mode(ways.archive() ? 0 : a.mode()));
    }
    for (Map.Entry<byte[], Long> entry : MountedImage.entries(tree, inode).entrySet()) {
      one(entry.getValue(), HostSystemCalls.below(target, entry.getKey()), true);
    }
  }

  /// Returns the permissions of a directory that is going to be filled, subject to the umask.
  private static FileAttribute<Set<PosixFilePermission>> mode(int permissions) {
    int mode = permissions | OWNER_MAY_ALL;
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    // The first constant is the owner's right to read.
    PosixFilePermission[] all = PosixFilePermission.values();
    for (int i = 0; i < all.length; i++) {
      if (((mode >> (all.length - 1 - i)) & 1) != 0) {
        set.add(all[i]);
      }
    }
    return PosixFilePermissions.asFileAttribute(set);
  }
}
