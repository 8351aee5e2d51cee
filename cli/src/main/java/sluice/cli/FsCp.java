package sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.Ext2;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// `sluice fs cp`. Runs in the main thread.
@Command(
    name = "cp",
    description = {
      "Copies a file or, with -r, a directory into an image or out of it.",
      "Paths in the image begin with a colon: sluice fs cp disk.img notes.txt :/docs/notes.txt"
    },
    mixinStandardHelpOptions = true)
final class FsCp implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(index = "1", paramLabel = "FROM", description = "File here, or :PATH in the image.")
  String from = "";

  @Parameters(
      index = "2",
      paramLabel = "TO",
      description = "New name, or a directory it goes into.")
  String to = "";

  @Option(names = "-r", description = "Directories with all that is in them.")
  boolean recursive;

  @Override
  public Integer call() throws IOException {
    boolean out = from.startsWith(":");
    if (out == to.startsWith(":")) {
      throw new ParameterException(
          spec.commandLine(), "one of FROM and TO is in the image and begins with a colon");
    }
    Progress progress = new Progress(spec.commandLine().getErr(), "bytes");
    try (MountedImage mounted = MountedImage.open(image, out);
        ImageCopy copy = new ImageCopy(mounted.tree(), progress::at)) {
      if (out) {
        Path target = Path.of(to);
        String name = lastName(from.substring(1));
        boolean inside = Files.isDirectory(target) && !name.isEmpty();
        copyOut(
            mounted.tree(),
            copy,
            mounted.resolve(from.substring(1)),
            inside ? target.resolve(name) : target);
      } else {
        copyIn(mounted, copy);
      }
      progress.end();
    }
    return 0;
  }

  private static String lastName(String path) {
    int slash = path.lastIndexOf('/');
    return path.substring(slash + 1);
  }

  private void requireRecursive(String what) {
    if (!recursive) {
      throw new ParameterException(spec.commandLine(), what + " is a directory: give -r");
    }
  }

  // ---- out of the image -------------------------------------------------------------------------

  private void copyOut(Ext2 tree, ImageCopy copy, long inode, Path target) throws IOException {
    FileAttributes a = tree.attributes(inode);
    switch (a.kind()) {
      case DIRECTORY -> {
        requireRecursive(from);
        if (!Files.isDirectory(target)) {
          Files.createDirectory(target);
        }
        for (var entry : entries(tree, inode).entrySet()) {
          copyOut(tree, copy, entry.getValue(), target.resolve(entry.getKey()));
        }
      }
      case SYMLINK ->
          Files.createSymbolicLink(target, Path.of(MountedImage.text(tree.readLink(inode))));
      case REGULAR -> {
        try (OutputStream out = Files.newOutputStream(target)) {
          copy.read(inode, out);
        }
      }
      default -> spec.commandLine().getErr().println("left out, no file: " + target.getFileName());
    }
  }

  private static Map<String, Long> entries(Ext2 tree, long directory) throws IOException {
    Map<String, Long> entries = new TreeMap<>();
    tree.list(
        directory,
        0,
        (inode, _, name, _) -> {
          String text = MountedImage.text(name);
          if (!text.equals(".") && !text.equals("..")) {
            entries.put(text, inode);
          }
          return true;
        });
    return entries;
  }

  // ---- into the image ---------------------------------------------------------------------------

  private void copyIn(MountedImage mounted, ImageCopy copy) throws IOException {
    Path source = Path.of(from);
    String path = to.substring(1);
    try {
      long inode = mounted.resolve(path);
      if (mounted.tree().attributes(inode).isDirectory()) {
        Path name = source.toAbsolutePath().normalize().getFileName();
        if (name == null) {
          throw new ParameterException(spec.commandLine(), "the root cannot be copied");
        }
        copyIn(mounted.tree(), copy, source, inode, name.toString());
        return;
      }
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
    String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
    copyIn(mounted.tree(), copy, source, mounted.resolve(parent), lastName(path));
  }

  private void copyIn(Ext2 tree, ImageCopy copy, Path source, long directory, String name)
      throws IOException {
    byte[] bytes = MountedImage.bytes(name);
    if (Files.isSymbolicLink(source)) {
      byte[] target = MountedImage.bytes(Files.readSymbolicLink(source).toString());
      tree.create(Caller.ROOT, directory, bytes, NewFile.symlink(target));
    } else if (Files.isDirectory(source)) {
      requireRecursive(source.toString());
      long made = existing(tree, directory, bytes);
      if (made == 0) {
        made = tree.create(Caller.ROOT, directory, bytes, NewFile.directory(permissions(source)));
      }
      try (DirectoryStream<Path> below = Files.newDirectoryStream(source)) {
        for (Path path : below) {
          copyIn(tree, copy, path, made, String.valueOf(path.getFileName()));
        }
      }
    } else if (Files.isRegularFile(source)) {
      long made = existing(tree, directory, bytes);
      if (made == 0) {
        made = tree.create(Caller.ROOT, directory, bytes, NewFile.regular(permissions(source)));
      } else {
        tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withSize(0));
      }
      try (InputStream in = Files.newInputStream(source)) {
        copy.write(in, made);
      }
      long modified = Files.getLastModifiedTime(source).toMillis() * 1_000_000L;
      tree.setAttributes(Caller.ROOT, made, AttributeChange.NONE.withModify(modified));
    } else if (Files.exists(source)) {
      spec.commandLine().getErr().println("left out, no file: " + source);
    } else {
      throw new IOException(source + " does not exist");
    }
  }

  private static long existing(Ext2 tree, long directory, byte[] name) throws IOException {
    try {
      return tree.lookup(Caller.ROOT, directory, name);
    } catch (FsException e) {
      if (e.errno() == Errno.ENOENT) {
        return 0;
      }
      throw e;
    }
  }

  private static int permissions(Path path) throws IOException {
    Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return mode instanceof Integer bits ? bits & 0xFFF : 0x1A4;
  }
}
