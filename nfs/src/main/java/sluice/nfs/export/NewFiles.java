package sluice.nfs.export;

import java.io.IOException;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.NewFile;

/// Creates files with the attributes that clients request. This class is stateless; its methods are
/// called by workers within the group of the change.
public final class NewFiles {
  private NewFiles() {}

  /// Creates a file and sets all its attributes. If either step fails, no file is created.
  ///
  /// @param directory the inode of the directory
  /// @return the attributes of the new file, read before another caller can remove it
  public static FileAttributes make(
      FileTree tree,
      Caller caller,
      long directory,
      byte[] name,
      NewFile what,
      AttributeChange asked)
      throws IOException {
    long inode = tree.create(caller, directory, name, what);
    AttributeChange rest = rest(caller, tree.attributes(inode), asked, what.kind());
    if (rest.set() != 0) {
      try {
        tree.setAttributes(caller, inode, rest);
      } catch (IOException refused) {
        unmake(tree, directory, name, what);
        throw refused;
      }
    }
    return tree.attributes(inode);
  }

  private static void unmake(FileTree tree, long directory, byte[] name, NewFile what)
      throws IOException {
    if (what.kind() == FileKind.DIRECTORY) {
      tree.rmdir(Caller.ROOT, directory, name);
    } else {
      tree.unlink(Caller.ROOT, directory, name);
    }
  }

  /// Returns the attributes that still have to be set on a new file. An owner that an unprivileged
  /// caller may not set is ignored, as in other servers, because clients always send an owner.
  private static AttributeChange rest(
      Caller caller, FileAttributes made, AttributeChange asked, FileKind kind) {
    AttributeChange rest = AttributeChange.NONE;
    boolean owner = asked.has(AttributeChange.UID) && caller.privileged();
    if (owner && asked.uid() != made.uid()) {
      rest = rest.withOwner(asked.uid());
    }
    boolean group =
        asked.has(AttributeChange.GID) && (caller.privileged() || caller.inGroup(asked.gid()));
    if (group && asked.gid() != made.gid()) {
      rest = rest.withGroup(asked.gid());
    }
    if (rest.set() != 0 && asked.has(AttributeChange.MODE) && kind != FileKind.SYMLINK) {
      rest = rest.withMode(made.permissions()); // changing the owner clears the set-id bits
    }
    if (kind == FileKind.REGULAR && asked.has(AttributeChange.SIZE) && asked.sizeBytes() > 0) {
      rest = rest.withSizeOfOpened(asked.sizeBytes());
    }
    if (asked.has(AttributeChange.ACCESS)) {
      rest = rest.withAccess(asked.accessNanos());
    }
    return asked.has(AttributeChange.MODIFY) ? rest.withModify(asked.modifyNanos()) : rest;
  }
}
