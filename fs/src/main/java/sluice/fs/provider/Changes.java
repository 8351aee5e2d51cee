package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.attribute.FileAttribute;
import java.util.Objects;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// Creates, removes and moves names. This class is stateless and thread-safe.
final class Changes {
  private Changes() {}

  // ---- creating ---------------------------------------------------------------------------------

  static void createDirectory(PathAt place, FileAttribute<?>... attributes) throws IOException {
    int permissions = NewAttributes.permissions(0x1FF, attributes);
    create(place, NewFile.directory(permissions));
  }

  static void createSymbolicLink(PathAt place, TreePath target, FileAttribute<?>... attributes)
      throws IOException {
    for (FileAttribute<?> attribute : attributes) {
      throw new UnsupportedOperationException(
          "a symbolic link is not made with '" + Objects.requireNonNull(attribute).name() + "'");
    }
    create(place, NewFile.symlink(target.bytes()));
  }

  private static void create(PathAt place, NewFile what) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    fs.run(
        place.path(),
        () -> {
          long made = create(fs, place.find(false), what);
          assert made != 0;
        });
  }

  /// Creates a file with a name that was not in use when it was looked up. Fails for the root,
  /// which always exists.
  static long create(TreeFileSystem fs, PathWalk.Found found, NewFile what) throws IOException {
    if (found.name().length == 0) {
      throw ErrnoExceptions.refuse(Errno.EEXIST);
    }
    return fs.tree().create(fs.caller(), found.directory(), found.name(), what);
  }

  static void createLink(PathAt link, PathAt existing) throws IOException {
    TreeFileSystem fs = link.fileSystem();
    if (existing.fileSystem() != fs) {
      throw ErrnoExceptions.of(ErrnoExceptions.refuse(Errno.EXDEV), link.path(), existing.path());
    }
    // If the target already exists, `java.nio.file` expects the exception to contain the new name.
    fs.call(
        existing.path(),
        link.path(),
        () -> {
          long inode = existing.inode(false);
          PathWalk.Found found = link.find(false);
          if (found.exists()) {
            throw ErrnoExceptions.refuse(Errno.EEXIST);
          }
          fs.tree().link(fs.caller(), inode, found.directory(), found.name());
          return inode;
        });
  }

  // ---- removing ---------------------------------------------------------------------------------

  /// Removes a name of a file of any kind. A directory must be empty.
  static void delete(PathAt place) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    fs.run(place.path(), () -> delete(fs, place.find(false)));
  }

  static void delete(TreeFileSystem fs, PathWalk.Found found) throws IOException {
    if (fs.tree().attributes(found.required()).isDirectory()) {
      removeDirectory(fs, found);
    } else {
      removeFile(fs, found);
    }
  }

  static void deleteFile(PathAt place) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    fs.run(place.path(), () -> removeFile(fs, place.find(false)));
  }

  static void deleteDirectory(PathAt place) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    fs.run(place.path(), () -> removeDirectory(fs, place.find(false)));
  }

  private static void removeFile(TreeFileSystem fs, PathWalk.Found found) throws IOException {
    found.requireName();
    fs.tree().unlink(fs.caller(), found.directory(), found.name());
  }

  private static void removeDirectory(TreeFileSystem fs, PathWalk.Found found) throws IOException {
    found.requireName();
    fs.tree().rmdir(fs.caller(), found.directory(), found.name());
  }

  // ---- moving -----------------------------------------------------------------------------------

  /// Renames a file, like `rename(2)`. An existing target is replaced atomically.
  static void rename(PathAt source, PathAt target) throws IOException {
    TreeFileSystem fs = source.fileSystem();
    if (target.fileSystem() != fs) {
      throw new AtomicMoveNotSupportedException(
          source.toString(), target.toString(), "they are in different images");
    }
    fs.call(
        source.path(),
        target.path(),
        () -> {
          rename(fs, source.find(false), target.find(false), 0);
          return true;
        });
  }

  private static void rename(TreeFileSystem fs, PathWalk.Found from, PathWalk.Found to, int flags)
      throws IOException {
    from.requireName();
    to.requireName();
    fs.tree().rename(fs.caller(), from.directory(), from.name(), to.directory(), to.name(), flags);
  }

  /// Moves a file within the same tree. An existing target of the same kind is replaced atomically.
  static void move(PathAt source, PathAt target, boolean replace) throws IOException {
    TreeFileSystem fs = source.fileSystem();
    fs.call(
        source.path(),
        target.path(),
        () -> {
          FileAttributes moved = source.attributes(false);
          PathWalk.Found from = source.find(false);
          PathWalk.Found to = target.find(false);
          requireWritable(fs, moved);
          if (to.inode() == from.required()) {
            return true;
          }
          if (to.exists() && !replace) {
            throw ErrnoExceptions.refuse(Errno.EEXIST);
          }
          if (to.exists()
              && fs.tree().attributes(to.inode()).isDirectory() != moved.isDirectory()) {
            delete(fs, to);
          }
          rename(fs, from, to, replace ? 0 : FileTree.NO_REPLACE);
          return true;
        });
  }

  /// Checks that a directory to be moved is writable, because moving it changes its `..` entry.
  private static void requireWritable(TreeFileSystem fs, FileAttributes moved) throws IOException {
    Caller caller = fs.caller();
    int right = FileTree.WRITE;
    if (moved.isDirectory() && fs.tree().access(caller, moved.inode(), right) != right) {
      throw FsException.of(Errno.EACCES, "a directory that may not be changed");
    }
  }
}
