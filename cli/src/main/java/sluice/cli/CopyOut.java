package sluice.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.ext2.Ext2;

/// Copies out of an image. Of the command's thread.
///
/// The image may come from a stranger: what is below the target stays below it. Names lead nowhere
/// else (the tree refuses those that could), and no symbolic link that is there is followed.
final class CopyOut {
  private static final int OWNER_MAY_ALL = 0700;

  private final Ext2 tree;
  private final ImageCopy copy;
  private final boolean recursive;
  private final Consumer<String> leftOut;

  /// @param leftOut told of each file that cannot be copied
  CopyOut(Ext2 tree, ImageCopy copy, boolean recursive, Consumer<String> leftOut) {
    this.tree = tree;
    this.copy = copy;
    this.recursive = recursive;
    this.leftOut = leftOut;
  }

  /// Copies to a name; the directory it is in exists.
  ///
  /// @param from as the user names it
  void copy(String from, long inode, Path target) throws IOException, UsageException {
    if (tree.attributes(inode).isDirectory() && !recursive) {
      throw new UsageException(from + " is a directory: give -r");
    }
    // What the user names may be a link to where it is to go.
    Path place = Files.isDirectory(target) ? target.toRealPath() : target;
    one(inode, place, false);
  }

  private void one(long inode, Path target, boolean below) throws IOException {
    copy.count(0);
    FileAttributes a = tree.attributes(inode);
    if (below && a.kind() != FileKind.SYMLINK && Files.isSymbolicLink(target)) {
      throw new IOException(target + " is a symbolic link, not followed. Fix: remove it first");
    }
    switch (a.kind()) {
      case DIRECTORY -> directory(inode, a, target);
      case SYMLINK ->
          Files.createSymbolicLink(target, Path.of(MountedImage.text(tree.readLink(inode))));
      case REGULAR -> {
        Set<StandardOpenOption> options =
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        try (OutputStream out =
            Channels.newOutputStream(Files.newByteChannel(target, options, mode(a.mode())))) {
          copy.read(inode, out);
        }
        Files.setLastModifiedTime(target, FileTime.from(a.modifyNanos(), TimeUnit.NANOSECONDS));
      }
      default -> leftOut.accept(target.getFileName() + ": neither file, directory nor link");
    }
  }

  private void directory(long inode, FileAttributes a, Path target) throws IOException {
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(target, mode(a.mode() | OWNER_MAY_ALL));
    }
    for (Map.Entry<String, Long> entry : entries(inode).entrySet()) {
      one(entry.getValue(), target.resolve(entry.getKey()), true);
    }
  }

  /// Those that a path of this machine can have.
  private Map<String, Long> entries(long directory) throws IOException {
    Map<String, Long> entries = new TreeMap<>();
    tree.list(
        directory,
        0,
        (inode, _, name, _) -> {
          String text = MountedImage.text(name);
          if (text.indexOf('\uFFFD') >= 0) {
            leftOut.accept(text + ": its name is not UTF-8");
          } else if (!text.equals(".") && !text.equals("..")) {
            entries.put(text, inode);
          }
          return true;
        });
    return entries;
  }

  /// Permissions of what is made, as far as the umask lets them.
  private static FileAttribute<Set<PosixFilePermission>> mode(int mode) {
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    PosixFilePermission[] all = PosixFilePermission.values(); // from the owner's right to read on
    for (int i = 0; i < all.length; i++) {
      if (((mode >> (all.length - 1 - i)) & 1) != 0) {
        set.add(all[i]);
      }
    }
    return PosixFilePermissions.asFileAttribute(set);
  }
}
