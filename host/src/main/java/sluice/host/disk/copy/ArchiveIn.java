package sluice.host.disk.copy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.sys.Files;
import sluice.sys.Statx;

/// Copies the metadata that `-a` preserves to an image. This includes the owner, the group, all
/// mode bits, the times, hard links, extended attributes and access control lists. Instances are
/// confined to the thread of the command.
final class ArchiveIn {
  private final Ext2 tree;
  private final CopyWarnings warnings;
  private final Map<Id, Long> linked = new HashMap<>();

  /// The identity of a file on this machine.
  private record Id(long device, long inode) {
    static Id of(Statx s) {
      return new Id(s.device(), s.inode());
    }
  }

  ArchiveIn(Ext2 tree, CopyWarnings warnings) {
    this.tree = tree;
    this.warnings = warnings;
  }

  /// Returns the inode number of the file to which another hard link of the same source file has
  /// been copied, or 0 if there is none.
  long copied(Statx source) {
    return source.links() > 1 ? linked.getOrDefault(Id.of(source), 0L) : 0;
  }

  /// Copies the metadata of a file. This method must be called after all other changes of the copy.
  void keep(Path source, Statx s, long inode) throws IOException {
    FileKind kind = FileKind.ofMode(s.mode());
    if (kind != FileKind.DIRECTORY && s.links() > 1) {
      linked.put(Id.of(s), inode);
    }
    AttributeChange change =
        AttributeChange.NONE
            .withOwner(s.uid())
            .withGroup(s.gid())
            .withAccess(HostSystemCalls.nanos(s.accessedSeconds(), s.accessedNanos()))
            .withModify(HostSystemCalls.nanos(s.modifiedSeconds(), s.modifiedNanos()));
    boolean hasMode = kind != FileKind.SYMLINK;
    tree.setAttributes(Caller.ROOT, inode, hasMode ? change.withMode(s.mode()) : change);
    // The attributes are copied after the owner, because changing the owner removes
    // security.capability.
    if (hasMode) {
      int fd = HostSystemCalls.open(source, Files.O_PATH | Files.O_NOFOLLOW, 0);
      try {
        attributes(source, fd, inode);
      } finally {
        Files.close(fd);
      }
    }
  }

  private void attributes(Path source, int fd, long inode) throws IOException {
    byte[] names = HostSystemCalls.attributes(fd, source);
    int start = 0;
    for (int i = 0; i < names.length; i++) {
      if (names[i] == 0) {
        byte[] name = Arrays.copyOfRange(names, start, i);
        byte[] value = HostSystemCalls.attribute(fd, name, source);
        try {
          set(inode, name, value);
        } catch (FsException e) {
          warnings.tell(
              source + ": its attribute " + MountedImage.text(name) + ": " + e.getMessage());
        }
        start = i + 1;
      }
    }
  }

  private void set(long inode, byte[] name, byte[] value) throws IOException {
    boolean ofNewFiles = Arrays.equals(name, HostSystemCalls.DEFAULT_LIST);
    if (ofNewFiles || Arrays.equals(name, HostSystemCalls.ACCESS_LIST)) {
      tree.setAccessControlList(inode, ofNewFiles, value);
    } else {
      tree.setExtendedAttribute(Caller.ROOT, inode, name, value, 0);
    }
  }
}
