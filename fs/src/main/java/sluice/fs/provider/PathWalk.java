package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Resolves paths to inode numbers, as described in `path_resolution(7)`. Instances are immutable
/// and thread-safe.
final class PathWalk {
  private static final int MAX_LINKS = 40;

  private final FileTree tree;
  private final Caller caller;

  PathWalk(FileTree tree, Caller caller) {
    this.tree = tree;
    this.caller = caller;
  }

  /// Returns true if the options allow a symbolic link at the end of a path to be followed.
  static boolean follows(LinkOption... options) {
    boolean follow = true;
    for (LinkOption option : options) {
      Objects.requireNonNull(option);
      follow = false; // NOFOLLOW_LINKS is the only LinkOption
    }
    return follow;
  }

  /// The result of resolving a path.
  ///
  /// @param directory the directory that contains the last name, or 0 if the path has no names
  /// @param name the last name, which is empty if the path has no names
  /// @param inode the inode, or 0 if the name does not exist in the directory
  @SuppressWarnings("ArrayRecordComponent") // made once, never compared
  record Found(long directory, byte[] name, long inode) {
    boolean exists() {
      return inode != 0;
    }

    /// Returns the inode.
    ///
    /// @throws FsException `ENOENT` if the path does not exist
    long required() throws FsException {
      if (inode == 0) {
        throw ErrnoExceptions.refuse(Errno.ENOENT);
      }
      return inode;
    }

    /// Checks that the path ends with a name. This is required by operations that create or remove
    /// names.
    ///
    /// @throws FsException `EBUSY` if the path is the root, or the directory at which a path starts
    void requireName() throws FsException {
      if (name.length == 0) {
        throw ErrnoExceptions.refuse(Errno.EBUSY);
      }
    }
  }

  /// Resolves a path.
  ///
  /// @param start the directory against which a relative path is resolved
  /// @param follow true to follow a symbolic link at the end of the path; the result for a dangling
  ///   link is the missing name to which it refers
  /// @throws FsException `ENOENT` if a directory of the path does not exist, `ENOTDIR`, `EACCES`,
  ///   or `ELOOP`
  Found find(long start, TreePath path, boolean follow) throws IOException {
    long directory = path.isAbsolute() ? tree.rootInode() : start;
    return find(directory, new ArrayDeque<>(path.names()), follow);
  }

  private Found find(long start, ArrayDeque<byte[]> left, boolean follow) throws IOException {
    long directory = start;
    int links = 0;
    while (!left.isEmpty()) {
      byte[] name = left.removeFirst();
      boolean last = left.isEmpty();
      long inode = lookup(directory, name);
      if (inode == 0) {
        if (last) {
          return new Found(directory, name, 0);
        }
        throw ErrnoExceptions.refuse(Errno.ENOENT);
      }
      FileAttributes a = tree.attributes(inode);
      if (a.kind() == FileKind.SYMLINK && (follow || !last)) {
        if (++links > MAX_LINKS) {
          throw ErrnoExceptions.refuse(Errno.ELOOP);
        }
        byte[] target = tree.readLink(inode);
        pushFirst(left, PathBytes.names(target));
        directory = PathBytes.isAbsolute(target) ? tree.rootInode() : directory;
      } else if (last) {
        return new Found(directory, name, inode);
      } else if (!a.isDirectory()) {
        throw ErrnoExceptions.refuse(Errno.ENOTDIR);
      } else {
        directory = inode;
      }
    }
    return new Found(0, PathBytes.EMPTY, directory);
  }

  private static void pushFirst(ArrayDeque<byte[]> left, List<byte[]> names) {
    for (byte[] name : names.reversed()) {
      left.addFirst(name);
    }
  }

  /// Looks up a name in a directory. Returns 0 if the name does not exist.
  private long lookup(long directory, byte[] name) throws IOException {
    long now = tree.tryLookup(caller, directory, name);
    if (now != FileTree.WOULD_BLOCK) {
      return now;
    }
    try {
      return tree.lookup(caller, directory, name);
    } catch (FsException e) {
      if (e.errno() == Errno.ENOENT) {
        return 0;
      }
      throw e;
    }
  }

  /// A name of a real path and the file to which the path resolves up to that name.
  @SuppressWarnings("ArrayRecordComponent")
  private record Step(byte[] name, FileAttributes file) {}

  /// Returns the path without `.`, `..` and, if `follow` is true, symbolic links. If links are not
  /// followed, a `..` that comes after a link is preserved because it does not necessarily undo the
  /// link.
  ///
  /// @throws FsException also with `ENOENT` if the path does not exist
  byte[] real(TreePath path, boolean follow) throws IOException {
    ArrayDeque<byte[]> left = new ArrayDeque<>(path.names());
    List<Step> steps = new ArrayList<>();
    int links = 0;
    while (!left.isEmpty()) {
      byte[] name = left.removeFirst();
      long directory = directory(steps);
      if (FileNames.isDot(name)) {
        continue;
      }
      if (FileNames.isDotDot(name) && mayGoBack(steps)) {
        if (!steps.isEmpty()) {
          steps.removeLast();
        }
        continue;
      }
      FileAttributes a =
          tree.attributes(new Found(directory, name, lookup(directory, name)).required());
      if (a.kind() == FileKind.SYMLINK && follow) {
        if (++links > MAX_LINKS) {
          throw ErrnoExceptions.refuse(Errno.ELOOP);
        }
        byte[] target = tree.readLink(a.inode());
        pushFirst(left, PathBytes.names(target));
        if (PathBytes.isAbsolute(target)) {
          steps.clear();
        }
      } else {
        steps.add(new Step(name, a));
      }
    }
    return PathBytes.join(true, steps.stream().map(Step::name).toList());
  }

  private static boolean mayGoBack(List<Step> steps) {
    return steps.isEmpty()
        || (steps.getLast().file.kind() != FileKind.SYMLINK
            && !FileNames.isDotDot(steps.getLast().name));
  }

  /// Returns the directory that the steps lead to. A symbolic link that was preserved is followed
  /// here.
  private long directory(List<Step> steps) throws IOException {
    long inode = tree.rootInode();
    if (steps.isEmpty()) {
      return inode;
    }
    Step last = steps.getLast();
    if (last.file.kind() != FileKind.SYMLINK) {
      if (!last.file.isDirectory()) {
        throw ErrnoExceptions.refuse(Errno.ENOTDIR);
      }
      return last.file.inode();
    }
    long above = directory(steps.subList(0, steps.size() - 1));
    return find(above, new ArrayDeque<>(List.of(last.name)), true).required();
  }
}
