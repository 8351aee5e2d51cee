package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// Copies a file, a symbolic link or an empty directory within a tree or between two trees. This
/// class is stateless and thread-safe.
///
/// Only one of the two file systems is entered at a time, and only for a single step, so that
/// closing one of them never has to wait for the other.
final class Copies {
  /// The maximum number of attempts to replace a target that other programs keep recreating.
  private static final int ATTEMPTS = 16;

  private Copies() {}

  static void copy(PathAt source, PathAt target, CopyOption... options) throws IOException {
    Set<CopyOption> set = options(options);
    if (set.contains(StandardCopyOption.ATOMIC_MOVE)) {
      throw new UnsupportedOperationException("a copy cannot be atomic");
    }
    copy(source, target, set);
  }

  static void move(PathAt source, PathAt target, CopyOption... options) throws IOException {
    Set<CopyOption> set = options(options);
    if (set.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
      throw new UnsupportedOperationException("a move always keeps attributes");
    }
    boolean atomic = set.contains(StandardCopyOption.ATOMIC_MOVE);
    if (source.fileSystem() == target.fileSystem()) {
      if (atomic) {
        Changes.rename(source, target);
      } else {
        Changes.move(source, target, set.contains(StandardCopyOption.REPLACE_EXISTING));
      }
      return;
    }
    if (atomic) {
      throw new AtomicMoveNotSupportedException(
          source.toString(), target.toString(), "they are in different images");
    }
    requireEmpty(source);
    set.add(StandardCopyOption.COPY_ATTRIBUTES);
    set.add(LinkOption.NOFOLLOW_LINKS);
    copy(source, target, set);
    Changes.delete(source);
  }

  private static Set<CopyOption> options(CopyOption... options) {
    Set<CopyOption> set = new HashSet<>();
    for (CopyOption option : options) {
      Objects.requireNonNull(option);
      if (!(option instanceof StandardCopyOption) && option != LinkOption.NOFOLLOW_LINKS) {
        throw new UnsupportedOperationException(option + " is not an option of this file system");
      }
      set.add(option);
    }
    return set;
  }

  private static void requireEmpty(PathAt source) throws IOException {
    TreeFileSystem fs = source.fileSystem();
    fs.run(
        source.path(),
        () -> {
          FileAttributes a = source.attributes(false);
          boolean empty =
              !a.isDirectory()
                  || fs.tree().list(a.inode(), 0, (_, _, name, _) -> FileNames.isDots(name));
          if (!empty) {
            throw ErrnoExceptions.refuse(Errno.ENOTEMPTY);
          }
        });
  }

  // ---- copying ----------------------------------------------------------------------------------

  private static void copy(PathAt source, PathAt target, Set<CopyOption> options)
      throws IOException {
    boolean follow = !options.contains(LinkOption.NOFOLLOW_LINKS);
    TreeFileSystem from = source.fileSystem();
    TreeFileSystem to = target.fileSystem();
    FileAttributes file = from.call(source.path(), () -> retained(from, source.existing(follow)));
    try {
      NewFile what = from.call(source.path(), () -> newFile(from, file));
      boolean replace = options.contains(StandardCopyOption.REPLACE_EXISTING);
      long same = from == to ? file.inode() : 0;
      long made = to.call(target.path(), () -> make(target, what, replace, same));
      if (made != 0) {
        fill(source, file, target, made, options.contains(StandardCopyOption.COPY_ATTRIBUTES));
      }
    } finally {
      release(source, file.inode());
    }
  }

  /// Creates an empty target. Other programs may concurrently create and remove the same name.
  ///
  /// @param same the source inode, for which no copy is needed
  /// @return the inode of the copy, which is retained, or 0 if the target is `same`
  private static long make(PathAt target, NewFile what, boolean replace, long same)
      throws IOException {
    TreeFileSystem to = target.fileSystem();
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      PathWalk.Found found = target.find(false);
      if (found.exists() && found.inode() == same) {
        return 0;
      }
      if (found.exists() && !replace) {
        throw ErrnoExceptions.refuse(Errno.EEXIST);
      }
      try {
        if (found.exists()) {
          Changes.delete(to, found);
        }
        return retained(to, Changes.create(to, found, what)).inode();
      } catch (FsException e) {
        boolean raced =
            e.errno() == Errno.ESTALE || e.errno() == Errno.EEXIST || e.errno() == Errno.ENOENT;
        if (!replace || !raced) {
          throw e;
        }
      }
    }
    throw ErrnoExceptions.refuse(Errno.EBUSY);
  }

  private static FileAttributes retained(TreeFileSystem fs, long inode) throws IOException {
    fs.tree().retain(inode);
    return fs.tree().attributes(inode);
  }

  private static void release(PathAt place, long inode) throws IOException {
    place.fileSystem().run(place.path(), () -> place.fileSystem().tree().release(inode));
  }

  /// Returns the description of the copy. Checks that the caller has permission to read the source.
  private static NewFile newFile(TreeFileSystem fs, FileAttributes file) throws IOException {
    boolean content = file.kind() == FileKind.REGULAR;
    if (content && fs.tree().access(fs.caller(), file.inode(), FileTree.READ) == 0) {
      throw ErrnoExceptions.refuse(Errno.EACCES);
    }
    if (file.kind() == FileKind.SYMLINK) {
      return NewFile.symlink(fs.tree().readLink(file.inode()));
    }
    int permissions = file.permissions() & 0x1FF & ~NewAttributes.MASK;
    return NewFile.device(file.kind(), permissions, file.deviceMajor(), file.deviceMinor());
  }

  /// Copies the content and attributes to a new file, and removes the file if this fails.
  private static void fill(
      PathAt source, FileAttributes file, PathAt target, long made, boolean attributes)
      throws IOException {
    boolean done = false;
    try {
      if (file.kind() == FileKind.REGULAR) {
        content(source, file, target, made);
      }
      if (attributes) {
        attributes(source, file, target, made);
      }
      done = true;
    } finally {
      if (!done) {
        takeBack(target, made);
      }
      release(target, made);
    }
  }

  /// Removes an incomplete copy, unless its name has been assigned to another file in the meantime.
  private static void takeBack(PathAt target, long made) throws IOException {
    TreeFileSystem to = target.fileSystem();
    to.run(
        target.path(),
        () -> {
          PathWalk.Found found = target.find(false);
          if (found.inode() == made) {
            Changes.delete(to, found);
          }
        });
  }

  /// Copies the content. Holes in the source become holes in the copy.
  private static void content(PathAt source, FileAttributes file, PathAt target, long made)
      throws IOException {
    TreeFileSystem from = source.fileSystem();
    TreeFileSystem to = target.fileSystem();
    long size = file.sizeBytes();
    long at = 0;
    try (TransferBuffer scratch = from.scratch()) {
      while (at < size) {
        long start = at;
        long data = from.call(source.path(), () -> nextData(from.tree(), file.inode(), start));
        if (data < 0) {
          break;
        }
        int bytes =
            from.call(
                source.path(),
                () ->
                    from.tree()
                        .read(file.inode(), data, scratch.memory(), 0, TransferBuffer.BYTES));
        to.run(
            target.path(),
            () -> {
              for (int done = 0; done < bytes; ) {
                done +=
                    to.tree()
                        .write(
                            to.caller(), made, data + done, scratch.memory(), done, bytes - done);
              }
            });
        at = data + bytes;
        if (bytes == 0) {
          break;
        }
      }
    }
    AttributeChange whole = AttributeChange.NONE.withSizeOfOpened(size);
    if (at < size) {
      to.run(target.path(), () -> to.tree().setAttributes(to.caller(), made, whole));
    }
  }

  /// Returns the position of the next data, or -1 if the rest of the file is a hole.
  private static long nextData(FileTree tree, long inode, long position) throws IOException {
    try {
      return tree.seek(inode, position, false);
    } catch (FsException e) {
      if (e.errno() == Errno.ENXIO) {
        return -1;
      }
      throw e;
    }
  }

  /// Copies the owner, permissions, times and, if they are supported, the extended attributes. If
  /// the owner cannot be set, the copy belongs to the calling user, and its set-user-id and
  /// set-group-id bits are cleared.
  private static void attributes(PathAt source, FileAttributes file, PathAt target, long made)
      throws IOException {
    TreeFileSystem to = target.fileSystem();
    Caller caller = to.caller();
    boolean link = file.kind() == FileKind.SYMLINK;
    if (!link) {
      userAttributes(source, file, target, made);
    }
    boolean owned = caller.privileged() || caller.uid() == file.uid();
    AttributeChange change =
        AttributeChange.NONE.withAccess(file.accessNanos()).withModify(file.modifyNanos());
    if (caller.privileged()) {
      change = change.withOwner(file.uid());
    }
    if (caller.privileged() || (owned && caller.inGroup(file.gid()))) {
      change = change.withGroup(file.gid());
    }
    if (!link) {
      change = change.withMode(owned ? file.permissions() : file.permissions() & 0x1FF);
    }
    AttributeChange all = change;
    to.run(target.path(), () -> to.tree().setAttributes(caller, made, all));
  }

  private static void userAttributes(PathAt source, FileAttributes file, PathAt target, long made)
      throws IOException {
    TreeFileSystem from = source.fileSystem();
    TreeFileSystem to = target.fileSystem();
    Caller reader = from.caller();
    byte[] all =
        from.call(
            source.path(),
            () -> {
              try {
                return from.tree().extendedAttributes(reader, file.inode());
              } catch (FsException e) {
                if (e.errno() == Errno.EOPNOTSUPP) {
                  return PathBytes.EMPTY; // the tree has no extended attributes
                }
                throw e;
              }
            });
    for (String name : UserAttributes.names(all)) {
      byte[] full = UserAttributes.full(name);
      byte[] value =
          from.call(source.path(), () -> from.tree().extendedAttribute(reader, file.inode(), full));
      to.run(
          target.path(), () -> to.tree().setExtendedAttribute(to.caller(), made, full, value, 0));
    }
  }
}
