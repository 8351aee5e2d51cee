package sluice.host.disk;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import sluice.fs.Caller;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseMount;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.FuseStability;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.ServedDevice;
import sluice.host.text.ShellWord;
import sluice.sys.Errno;

/// An image that was opened by a command, which accesses it as root. Instances are confined to the
/// thread of the command.
public final class MountedImage implements AutoCloseable {
  private static final int MAX_LINKS = 40;

  private final BlockDevice device;
  private final Ext2 tree;

  private MountedImage(BlockDevice device, Ext2 tree) {
    this.device = device;
    this.tree = tree;
  }

  /// Opens an image with default options.
  ///
  /// @param err receives one line if the image has a journal that was left by a crash and is not
  ///   replayed
  public static MountedImage open(Path image, boolean readOnly, PrintWriter err)
      throws IOException {
    MountOptions options = MountOptions.defaults().withReadOnly(readOnly).withAccessTimes(false);
    return open(image, options, err);
  }

  /// Opens an image.
  ///
  /// @param err receives one line if the image has a journal that was left by a crash and is not
  ///   replayed
  public static MountedImage open(Path image, MountOptions options, PrintWriter err)
      throws IOException {
    BlockDevice device = UnmountWait.open(image, options.readOnly(), err);
    try {
      Ext2 tree = Ext2.mount(device, options);
      tellOfLog(image, tree.blocksInLog(), err);
      return new MountedImage(device, tree);
    } catch (FsException e) {
      device.close();
      throw e.errno() == Errno.EINVAL ? new IOException(image + ": " + e.getMessage(), e) : e;
    } catch (IOException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /// Prints a message that a read-only command reads blocks from the journal.
  public static void tellOfLog(Path image, int blocksInLog, PrintWriter err) {
    if (blocksInLog > 0) {
      err.println(
          "sluice: "
              + image
              + " has a log that a crash left: "
              + blocksInLog
              + " blocks are read from it, and the image is not changed");
    }
  }

  /// Mounts the image through FUSE, using a loop device if one is available. A command that is
  /// started after the image has been unmounted waits until the image is closed.
  ///
  /// @param closesTree true to close the tree when the image is unmounted, which requires that the
  ///   tree is not used otherwise
  /// @param err receives one line if the kernel does not wait until the image has been written
  FuseMount serve(Path directory, FuseOptions options, boolean closesTree, PrintWriter err)
      throws IOException, InterruptedException {
    try (ServedDevice served = BlockDevices.serve(device)) {
      FuseStability stability =
          options.stability().withBlockDevice(served.blockDevice()).withClosesTree(closesTree);
      FuseMount mount =
          FuseMount.open(tree, directory, options.withStability(stability), err::println);
      if (!mount.limits().isEmpty()) {
        err.println(
            "sluice: "
                + mount.limits()
                + (served.why().isEmpty() ? "" : " (" + served.why() + ")")
                + ". Fix: fsync(2) of each file; sluice fs umount "
                + ShellWord.of(directory));
        err.flush();
      }
      return mount;
    }
  }

  /// Checks that the directory of a new file exists.
  ///
  /// @throws IOException if the directory does not exist
  public static void requireParent(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null && !Files.exists(parent)) {
      throw new IOException(
          "the directory " + parent + " does not exist. Fix: mkdir -p " + ShellWord.of(parent));
    }
  }

  /// Returns the file tree of this image.
  public Ext2 tree() {
    return tree;
  }

  /// Returns the UTF-8 bytes of a name.
  public static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /// Returns a name in the tree as a string.
  public static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }

  /// Returns the entries of a directory except `.` and `..`, sorted by the bytes of their names.
  public static SortedMap<byte[], Long> entries(FileTree tree, long directory) throws IOException {
    SortedMap<byte[], Long> entries = new TreeMap<>(Arrays::compareUnsigned);
    tree.list(
        directory,
        0,
        (inode, _, name, _) -> {
          entries.put(name, inode);
          return true;
        });
    entries.remove(bytes("."));
    entries.remove(bytes(".."));
    return entries;
  }

  /// Returns the components of a path, without empty ones.
  static List<String> parts(String path) {
    List<String> parts = new ArrayList<>();
    for (String part : path.split("/", -1)) {
      if (!part.isEmpty()) {
        parts.add(part);
      }
    }
    return parts;
  }

  /// Returns the inode number of a path, following symbolic links. The path may also have the form
  /// `:/PATH`, which is used by `cp`.
  ///
  /// @throws FsException with the path in its message, if there is no such file
  public long resolve(String path) throws IOException {
    String inside = path.startsWith(":/") ? path.substring(1) : path;
    return resolve(new String(bytes(inside), ISO_8859_1), inside, 0);
  }

  /// An operation that looks up a file.
  public interface Lookup {
    /// Returns the inode number of the file.
    long find() throws IOException;
  }

  /// Returns the inode number that a lookup finds, or 0 if there is no such file.
  public static long orNone(Lookup lookup) throws IOException {
    try {
      return lookup.find();
    } catch (FsException e) {
      if (e.errno() == Errno.ENOENT) {
        return 0;
      }
      throw e;
    }
  }

  /// Resolves a path.
  ///
  /// @param path the path with one character per byte, because the target of a link may not be
  ///   valid text
  /// @param asked the path that was specified by the user, for messages
  private long resolve(String path, String asked, int links) throws IOException {
    if (links > MAX_LINKS) {
      throw FsException.of(Errno.ELOOP, asked);
    }
    long at = tree.rootInode();
    List<String> parts = parts(path);
    String done = "";
    for (int i = 0; i < parts.size(); i++) {
      long next = lookup(at, parts.get(i), asked);
      if (tree.attributes(next).kind() == FileKind.SYMLINK) {
        String target = new String(tree.readLink(next), ISO_8859_1);
        String rest = String.join("/", parts.subList(i + 1, parts.size()));
        String base = target.startsWith("/") ? "" : done + "/";
        return resolve(base + target + "/" + rest, asked, links + 1);
      }
      at = next;
      done = done + "/" + parts.get(i);
    }
    return at;
  }

  private long lookup(long directory, String name, String asked) throws IOException {
    try {
      return tree.lookup(Caller.ROOT, directory, name.getBytes(ISO_8859_1));
    } catch (FsException e) {
      throw FsException.of(e.errno(), asked + " in the image");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      tree.close();
    } finally {
      device.close();
    }
  }
}
