package sluice.host.disk.copy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.host.file.UsageException;
import sluice.host.text.TerminalText;
import sluice.sys.Statx;

/// Copies files to an image, with the rights of root in the image. Instances are confined to the
/// thread of the command.
public final class CopyIn {
  private static final int PERMISSIONS = 07777;

  private final Ext2 tree;
  private final ImageCopy copy;
  private final CopyWays ways;
  private final CopyWarnings warnings;
  private final ArchiveIn archive;
  private final Statx image;

  /// Creates an instance that copies files to one image.
  ///
  /// @param image the status of the image file, which must not be copied to itself
  public CopyIn(Ext2 tree, ImageCopy copy, CopyWays ways, CopyWarnings warnings, Statx image) {
    this.image = image;
    this.tree = tree;
    this.copy = copy;
    this.ways = ways;
    this.warnings = warnings;
    archive = new ArchiveIn(tree, warnings);
  }

  /// Copies a file or directory to the given name in a directory of the image.
  public void copy(Path source, long directory, byte[] name) throws IOException, UsageException {
    if (Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS) && !ways.recursive()) {
      throw new UsageException(source + " is a directory: give -r");
    }
    one(source, directory, name);
  }

  private void one(Path source, long directory, byte[] name) throws IOException {
    copy.begin();
    Statx status = HostSystemCalls.status(source);
    if (status.inode() == image.inode() && status.device() == image.device()) {
      warnings.tell(source + ": it is the image itself");
      return;
    }
    FileKind kind = FileKind.ofMode(status.mode());
    long twin = ways.archive() && kind != FileKind.DIRECTORY ? archive.copied(status) : 0;
    if (twin != 0) {
      requireNone(source, directory, name);
      tree.link(Caller.ROOT, twin, directory, name);
      return;
    }
    long made =
        switch (kind) {
          case SYMLINK -> symlink(source, directory, name);
          case DIRECTORY -> directory(source, status, directory, name);
          case REGULAR -> file(source, status, directory, name);
          default -> special(source, status, directory, name);
        };
    if (ways.archive() && made != 0) {
      archive.keep(source, status, made);
    }
  }

  private long symlink(Path source, long directory, byte[] name) throws IOException {
    requireNone(source, directory, name);
    NewFile link = NewFile.symlink(HostSystemCalls.readLink(source));
    return tree.create(Caller.ROOT, directory, name, link);
  }

  /// Copies a special file.
  ///
  /// @return the inode number of the copy, or 0 if the file is not copied
  private long special(Path source, Statx s, long directory, byte[] name) throws IOException {
    if (!ways.archive()) {
      warnings.tell(source + ": neither file, directory nor link. Fix: give -a, which keeps it");
      return 0;
    }
    requireNone(source, directory, name);
    FileKind kind = FileKind.ofMode(s.mode());
    NewFile what = NewFile.device(kind, s.mode() & PERMISSIONS, s.deviceMajor(), s.deviceMinor());
    return tree.create(Caller.ROOT, directory, name, what);
  }

  private long directory(Path source, Statx s, long directory, byte[] name) throws IOException {
    long made = existing(directory, name);
    if (made == 0) {
      int permissions = s.mode() & PERMISSIONS;
      made = tree.create(Caller.ROOT, directory, name, NewFile.directory(permissions));
    } else if (!tree.attributes(made).isDirectory()) {
      throw new IOException(inImage(source) + " exists and is no directory");
    }
    try (DirectoryStream<Path> below = Files.newDirectoryStream(source)) {
      for (Path path : below) {
        one(path, made, HostSystemCalls.name(path));
      }
    }
    return made;
  }

  private long file(Path source, Statx s, long directory, byte[] name) throws IOException {
    int flags = sluice.sys.Files.O_RDONLY | sluice.sys.Files.O_NOFOLLOW;
    int fd = HostSystemCalls.open(source, flags, 0); // before the image is changed
    try {
      long made = existing(directory, name);
      if (made == 0) {
        int permissions = s.mode() & PERMISSIONS;
        made = tree.create(Caller.ROOT, directory, name, NewFile.regular(permissions));
      } else if (tree.attributes(made).kind() == FileKind.REGULAR) {
        tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withSize(0));
      } else {
        throw new IOException(inImage(source) + " exists and is no file");
      }
      copy.write(fd, source, s.size(), made);
      long modified = HostSystemCalls.nanos(s.modifiedSeconds(), s.modifiedNanos());
      tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withModify(modified));
      return made;
    } finally {
      sluice.sys.Files.close(fd);
    }
  }

  private static String inImage(Path source) {
    return "what " + TerminalText.line(source.toString()) + " is to become in the image";
  }

  private void requireNone(Path source, long directory, byte[] name) throws IOException {
    if (existing(directory, name) != 0) {
      throw new IOException(inImage(source) + " exists already. Fix: another name in the image");
    }
  }

  private long existing(long directory, byte[] name) throws IOException {
    return MountedImage.orNone(() -> tree.lookup(Caller.ROOT, directory, name));
  }
}
