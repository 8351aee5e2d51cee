package sluice.fs.ext2;

import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// Performs the permission checks of `inode(7)` as described in `path_resolution(7)`. This class is
/// stateless and thread-safe.
final class Permissions {
  static final int SET_UID = 0x800;
  static final int SET_GID = 0x400;
  static final int STICKY = 0x200;
  private static final int GROUP_EXECUTE = 0x8;
  private static final int ANY_EXECUTE = 0x49;

  private Permissions() {}

  /// Returns the subset of the requested rights that is granted to the caller.
  static int granted(Caller caller, int mode, int uid, int gid, int rights) {
    if (caller.privileged()) {
      boolean directory = (mode & FileKind.MODE_MASK) == FileKind.DIRECTORY.modeBits();
      boolean execute = directory || (mode & ANY_EXECUTE) != 0;
      return execute ? rights : rights & ~FileTree.EXECUTE;
    }
    int bits = mode;
    if (caller.uid() == uid) {
      bits = mode >> 6;
    } else if (caller.inGroup(gid)) {
      bits = mode >> 3;
    }
    return rights & bits & 7;
  }

  /// Checks that the caller has the given rights to a file.
  ///
  /// @throws FsException `EACCES` unless all of the rights are granted
  static void require(Caller caller, Inode inode, int rights) throws FsException {
    if (granted(caller, inode.mode, inode.uid, inode.gid, rights) != rights) {
      throw FsException.of(Errno.EACCES, "inode " + inode.number + " for " + caller);
    }
  }

  /// Checks that the caller may change names in a directory, and that the directory itself has not
  /// been removed.
  static void requireChangeable(Caller caller, Inode directory) throws FsException {
    if (!directory.isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "inode " + directory.number);
    }
    require(caller, directory, FileTree.WRITE | FileTree.EXECUTE);
    if (directory.links == 0) {
      throw FsException.of(Errno.ENOENT, "directory " + directory.number + " was removed");
    }
    if ((directory.flags & InodeLayout.FLAG_IMMUTABLE) != 0) {
      throw FsException.of(Errno.EPERM, "directory " + directory.number + " is immutable");
    }
  }

  /// Checks that the caller may remove a name. In a sticky directory, only the owner of the file
  /// and the owner of the directory may remove it.
  static void requireRemovable(Caller caller, Inode directory, Inode file) throws FsException {
    requireChangeable(caller, directory);
    if ((directory.flags & InodeLayout.FLAG_APPEND) != 0) {
      throw FsException.of(Errno.EPERM, "directory " + directory.number + " only grows");
    }
    boolean sticky = (directory.mode & STICKY) != 0;
    if (sticky
        && !caller.privileged()
        && caller.uid() != file.uid
        && caller.uid() != directory.uid) {
      throw FsException.of(
          Errno.EPERM,
          "directory " + directory.number + " is sticky, its files are of other users");
    }
    requireNotFixed(file);
  }

  /// Checks that a file may be changed without restrictions.
  ///
  /// @throws FsException `EPERM` if the file is immutable or append-only
  static void requireNotFixed(Inode file) throws FsException {
    if ((file.flags & (InodeLayout.FLAG_IMMUTABLE | InodeLayout.FLAG_APPEND)) != 0) {
      throw FsException.of(Errno.EPERM, "inode " + file.number + " is immutable or append-only");
    }
  }

  /// Checks that the caller is the owner of a file.
  ///
  /// @throws FsException `EPERM` if the caller does not own the file
  static void requireOwner(Caller caller, Inode file) throws FsException {
    if (!caller.privileged() && caller.uid() != file.uid) {
      throw FsException.of(Errno.EPERM, "inode " + file.number + " is not of " + caller);
    }
  }

  /// Returns the mode of a file after its content or owner has changed. The set-user-id and
  /// set-group-id bits are cleared if they would grant rights to different content or on behalf of
  /// a different owner.
  ///
  /// @param always true to clear the bits even if the caller is permitted to keep them, which is
  ///   required after a change of the owner
  static int withoutSetId(Caller caller, Inode file, boolean always) {
    if (file.isDirectory() || (caller.keepsSetId() && !always)) {
      return file.mode;
    }
    int mode = file.mode & ~SET_UID;
    boolean foreign = !caller.keepsSetId() && !caller.inGroup(file.gid);
    return (mode & GROUP_EXECUTE) != 0 || foreign ? mode & ~SET_GID : mode;
  }

  /// Returns the mode of a new file in the given directory.
  static int ofNew(Caller caller, Inode directory, FileKind kind, int permissions) {
    int kept = kind == FileKind.DIRECTORY ? 0x3FF : 0xFFF; // mkdir(2) does not set the set-id bits
    int mode = kind.modeBits() | (permissions & kept);
    if ((directory.mode & SET_GID) == 0) {
      return mode;
    }
    if (kind == FileKind.DIRECTORY) {
      return mode | SET_GID;
    }
    boolean strip =
        (mode & (SET_GID | GROUP_EXECUTE)) == (SET_GID | GROUP_EXECUTE)
            && !caller.privileged()
            && !caller.inGroup(directory.gid);
    return strip ? mode & ~SET_GID : mode;
  }

  static int groupOfNew(Caller caller, Inode directory) {
    return (directory.mode & SET_GID) != 0 ? directory.gid : caller.gid();
  }
}
