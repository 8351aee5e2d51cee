package sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2;

/// Copies into an image, as root there. Of the command's thread.
final class CopyIn {
  private static final int PERMISSIONS = 07777;
  private static final int DEFAULT_PERMISSIONS = 0644;

  private final Ext2 tree;
  private final ImageCopy copy;
  private final boolean recursive;
  private final Consumer<String> leftOut;

  /// @param leftOut told of each file that cannot be copied
  CopyIn(Ext2 tree, ImageCopy copy, boolean recursive, Consumer<String> leftOut) {
    this.tree = tree;
    this.copy = copy;
    this.recursive = recursive;
    this.leftOut = leftOut;
  }

  /// Copies to a name in a directory of the image.
  void copy(Path source, long directory, String name) throws IOException, UsageException {
    if (Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS) && !recursive) {
      throw new UsageException(source + " is a directory: give -r");
    }
    one(source, directory, name);
  }

  private void one(Path source, long directory, String name) throws IOException {
    copy.count(0);
    byte[] bytes = MountedImage.bytes(name);
    if (name.indexOf('\uFFFD') >= 0) {
      leftOut.accept(source + ": its name is not UTF-8");
    } else if (Files.isSymbolicLink(source)) {
      byte[] target = MountedImage.bytes(Files.readSymbolicLink(source).toString());
      if (existing(directory, bytes) != 0) {
        throw new IOException(inImage(source) + " exists already. Fix: another name in the image");
      }
      tree.create(Caller.ROOT, directory, bytes, NewFile.symlink(target));
    } else if (Files.isDirectory(source)) {
      directory(source, directory, bytes);
    } else if (Files.isRegularFile(source)) {
      file(source, directory, bytes);
    } else if (Files.exists(source)) {
      leftOut.accept(source + ": neither file, directory nor link");
    } else {
      throw new IOException(source + " does not exist");
    }
  }

  private void directory(Path source, long directory, byte[] name) throws IOException {
    long made = existing(directory, name);
    if (made == 0) {
      made = tree.create(Caller.ROOT, directory, name, NewFile.directory(permissions(source)));
    } else if (!tree.attributes(made).isDirectory()) {
      throw new IOException(inImage(source) + " exists and is no directory");
    }
    try (DirectoryStream<Path> below = Files.newDirectoryStream(source)) {
      for (Path path : below) {
        one(path, made, String.valueOf(path.getFileName()));
      }
    }
  }

  private void file(Path source, long directory, byte[] name) throws IOException {
    long made = existing(directory, name);
    if (made == 0) {
      made = tree.create(Caller.ROOT, directory, name, NewFile.regular(permissions(source)));
    } else if (tree.attributes(made).kind() == FileKind.REGULAR) {
      tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withSize(0));
    } else {
      throw new IOException(inImage(source) + " exists and is no file");
    }
    try (InputStream in = Files.newInputStream(source)) {
      copy.write(in, made);
    }
    long modified = Files.getLastModifiedTime(source).to(TimeUnit.NANOSECONDS);
    tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withModify(modified));
  }

  private static String inImage(Path source) {
    return "what " + source + " is to become in the image";
  }

  private long existing(long directory, byte[] name) throws IOException {
    return MountedImage.orNone(() -> tree.lookup(Caller.ROOT, directory, name));
  }

  private static int permissions(Path path) throws IOException {
    Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return mode instanceof Integer bits ? bits & PERMISSIONS : DEFAULT_PERMISSIONS;
  }
}
