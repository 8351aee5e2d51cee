package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.attribute.FileAttribute;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// Opens files, like `open(2)`. This class is stateless and thread-safe.
final class FileOpener {
  /// The maximum number of attempts to open a file that other programs replace between the lookup
  /// and the open.
  private static final int ATTEMPTS = 16;

  private FileOpener() {}

  static TreeFileChannel open(PathAt place, OpenMode mode, FileAttribute<?>... attributes)
      throws IOException {
    int permissions = NewAttributes.permissions(0x1B6, attributes);
    return place
        .fileSystem()
        .call(
            place.path(),
            () -> {
              for (int attempt = 1; ; attempt++) {
                try {
                  return attempt(place, mode, permissions);
                } catch (FsException e) {
                  boolean changed =
                      e.errno() == Errno.ESTALE || (e.errno() == Errno.EEXIST && !mode.createNew());
                  if (!changed || attempt == ATTEMPTS) {
                    throw e;
                  }
                }
              }
            });
  }

  private static TreeFileChannel attempt(PathAt place, OpenMode mode, int permissions)
      throws IOException {
    TreeFileSystem fs = place.fileSystem();
    FileTree tree = fs.tree();
    PathWalk.Found found = place.find(mode.follow());
    long inode = found.inode();
    boolean made = !found.exists() && mode.creates();
    if (made) {
      inode =
          tree.create(fs.caller(), found.directory(), found.name(), NewFile.regular(permissions));
    } else if (mode.createNew()) {
      throw ErrnoExceptions.refuse(Errno.EEXIST);
    } else {
      check(fs, tree.attributes(found.required()), mode);
    }
    OpenFiles.OpenFile file = fs.files().open(inode);
    try {
      if (mode.truncates() && !made) {
        tree.setAttributes(fs.caller(), inode, AttributeChange.NONE.withSizeOfOpened(0));
      }
      if (mode.deleteOnClose()) {
        // As on Linux, the name is removed immediately, and the file is deleted when the channel is
        // closed.
        tree.unlink(fs.caller(), found.directory(), found.name());
      }
    } catch (IOException | RuntimeException e) {
      fs.files().close(file);
      throw e;
    }
    TreeFileChannel channel = new TreeFileChannel(place.path(), file, mode);
    fs.opened(channel);
    return channel;
  }

  private static void check(TreeFileSystem fs, FileAttributes file, OpenMode mode)
      throws IOException {
    if (file.kind() == FileKind.SYMLINK) {
      throw ErrnoExceptions.refuse(Errno.ELOOP);
    }
    if (fs.tree().access(fs.caller(), file.inode(), mode.rights()) != mode.rights()) {
      throw ErrnoExceptions.refuse(Errno.EACCES);
    }
    if (mode.write() && fs.isReadOnly()) {
      throw ErrnoExceptions.refuse(Errno.EROFS);
    }
    if (file.isDirectory() && (mode.write() || mode.deleteOnClose())) {
      throw ErrnoExceptions.refuse(Errno.EISDIR);
    }
    if (!file.isDirectory() && file.kind() != FileKind.REGULAR) {
      // pipes, sockets and device files can be opened only by the kernel
      throw ErrnoExceptions.refuse(Errno.ENXIO);
    }
  }
}
