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

/// From paths to inode numbers, as `path_resolution(7)` has it. Immutable: any thread may use it.
final class PathWalk {
  private static final int MAX_LINKS = 40;

  private final FileTree tree;
  private final Caller caller;

  PathWalk(FileTree tree, Caller caller) {
    this.tree = tree;
    this.caller = caller;
  }

  /// Whether symbolic links are followed that are the last name.
  static boolean follows(LinkOption... options) {
    boolean follow = true;
    for (LinkOption option : options) {
      Objects.requireNonNull(option);
      follow = false; // the only one there is
    }
    return follow;
  }

  /// Where a path leads.
  ///
  /// @param directory that holds the last name, 0 for a path without names
  /// @param name the last one, empty for a path without names
  /// @param inode 0 when the directory has no such name
  @SuppressWarnings("ArrayRecordComponent") // made once, never compared
  record Found(long directory, byte[] name, long inode) {
    boolean exists() {
      return inode != 0;
    }

    /// @throws FsException `ENOENT`
    long required() throws FsException {
      if (inode == 0) {
        throw ErrnoExceptions.refuse(Errno.ENOENT);
      }
      return inode;
    }

    /// For what makes or takes away a name.
    ///
    /// @throws FsException `EBUSY` for the root and for the directory a path starts from
    void requireName() throws FsException {
      if (name.length == 0) {
        throw ErrnoExceptions.refuse(Errno.EBUSY);
      }
    }
  }

  /// @param start directory of a relative path
  /// @param follow whether a symbolic link is followed that is the last name; a link that leads to
  ///   no file gives the name that is missing
  /// @throws FsException `ENOENT` when a directory on the way is missing, `ENOTDIR`, `EACCES`,
  ///   `ELOOP`
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

  /// @return 0 when there is no such name
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

  /// A name on a real path and the inode it leads to.
  @SuppressWarnings("ArrayRecordComponent")
  private record Step(byte[] name, FileAttributes file) {}

  /// The path without `.`, `..` and, if they are followed, symbolic links. Without following, `..`
  /// behind a link stays, because it does not lead back.
  ///
  /// @throws FsException also `ENOENT`
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

  /// The directory that the steps lead to; a link that was kept is followed here.
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
