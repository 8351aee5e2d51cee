package sluice.fs.ext2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Executes the lines of `kernel_tree.py` on a [FileTree], with the same answers. Confined to the
/// test's thread.
final class TreeAgent implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;
  static final String SKIPPED = "skipped";

  private static final HexFormat HEX = HexFormat.of();

  private final FileTree tree;
  private final Block block = Blocks.of(BUFFER_BYTES);
  private final Memory memory = Memory.over(block, 0, BUFFER_BYTES);
  private final boolean alone;
  private Caller caller = Caller.ROOT;

  TreeAgent(FileTree tree) {
    this(tree, true);
  }

  /// Creates an agent.
  ///
  /// @param alone true if no other agent changes the tree at the same time
  TreeAgent(FileTree tree, boolean alone) {
    this.tree = tree;
    this.alone = alone;
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }

  /// Returns true for operations that are not compared with a kernel: devices and pipes are not
  /// opened, directories are not searched for holes, and a change of owner that keeps owner and
  /// group is left out.
  private boolean isSkipped(String[] a) throws IOException {
    boolean opens = List.of("read", "write", "truncate", "punch", "seek").contains(a[0]);
    if (!opens) {
      return a[0].equals("chown") && a[2].equals("-1") && a[3].equals("-1");
    }
    FileKind kind = tree.attributes(inode(a[1])).kind();
    return switch (kind) {
      case REGULAR, SYMLINK -> false;
      case DIRECTORY -> a[0].equals("seek");
      default -> true;
    };
  }

  /// Returns the answer to one line, or [#SKIPPED] if the line is not to be compared.
  String run(String line) throws IOException {
    try {
      String[] words = line.split(" ");
      if (isSkipped(words)) {
        return SKIPPED;
      }
      String result = execute(words);
      return result == null ? "ok" : "ok " + result;
    } catch (FsException e) {
      return Errno.name(e.errno());
    }
  }

  /// A directory and a name in it.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record PathAt(long directory, byte[] name) {}

  static byte[] bytes(String hex) {
    return hex.equals("-") ? new byte[0] : HEX.parseHex(hex);
  }

  private PathAt place(String hex) throws IOException {
    String path = new String(bytes(hex), StandardCharsets.ISO_8859_1);
    List<String> parts = new ArrayList<>(Arrays.asList(path.split("/")));
    String last = parts.removeLast();
    long at = tree.rootInode();
    for (String part : parts) {
      at = tree.lookup(caller, at, part.getBytes(StandardCharsets.ISO_8859_1));
      if (tree.attributes(at).kind() == FileKind.SYMLINK) {
        throw FsException.of(Errno.ENOENT, "no link of these tests leads anywhere");
      }
    }
    if (!tree.attributes(at).isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "not a directory before the last name");
    }
    if (tree.access(caller, at, FileTree.EXECUTE) == 0) {
      throw FsException.of(Errno.EACCES, "the last directory may not be searched");
    }
    return new PathAt(at, last.getBytes(StandardCharsets.ISO_8859_1));
  }

  private long inode(String hex) throws IOException {
    PathAt place = place(hex);
    return tree.lookup(caller, place.directory, place.name);
  }

  /// Opens a file like `open(2)`: checks the permission before content is read or written.
  private long open(String hex, int right) throws IOException {
    long inode = inode(hex);
    FileAttributes attributes = tree.attributes(inode);
    if (attributes.kind() == FileKind.SYMLINK) {
      throw FsException.of(Errno.ELOOP, "a symbolic link");
    }
    if (right == FileTree.WRITE && attributes.isDirectory()) {
      throw FsException.of(Errno.EISDIR, "a directory");
    }
    if (tree.access(caller, inode, right) != right) {
      throw FsException.of(Errno.EACCES, "open");
    }
    return inode;
  }

  private @Nullable String execute(String[] a) throws IOException {
    switch (a[0]) {
      case "become" -> {
        int uid = Integer.parseInt(a[1]);
        caller = uid == 0 ? Caller.ROOT : new Caller(uid, Integer.parseInt(a[2]));
        return null;
      }
      case "mkdir" -> create(a[1], NewFile.directory(Integer.parseInt(a[2])));
      case "create" -> create(a[1], NewFile.regular(Integer.parseInt(a[2])));
      case "mknod" -> {
        int mode = Integer.parseInt(a[2]);
        create(
            a[1],
            NewFile.device(
                FileKind.ofMode(mode),
                mode & 0xFFF,
                Integer.parseInt(a[3]),
                Integer.parseInt(a[4])));
      }
      case "symlink" -> create(a[1], NewFile.symlink(bytes(a[2])));
      case "readlink" -> {
        return HEX.formatHex(tree.readLink(inode(a[1])));
      }
      case "unlink" -> {
        PathAt place = place(a[1]);
        tree.unlink(caller, place.directory, place.name);
      }
      case "rmdir" -> {
        PathAt place = place(a[1]);
        tree.rmdir(caller, place.directory, place.name);
      }
      case "link" -> {
        long file = inode(a[1]);
        PathAt to = place(a[2]);
        tree.link(caller, file, to.directory, to.name);
      }
      case "rename" -> {
        PathAt from = place(a[1]);
        PathAt to = place(a[2]);
        tree.rename(
            caller, from.directory, from.name, to.directory, to.name, Integer.parseInt(a[3]));
      }
      default -> {
        return executeOnFile(a);
      }
    }
    return null;
  }

  private void create(String hex, NewFile what) throws IOException {
    PathAt place = place(hex);
    tree.create(caller, place.directory, place.name, what);
  }

  private @Nullable String executeOnFile(String[] a) throws IOException {
    switch (a[0]) {
      case "write" -> {
        return String.valueOf(write(a));
      }
      case "read" -> {
        return read(open(a[1], FileTree.READ), Long.parseLong(a[2]), Integer.parseInt(a[3]));
      }
      case "truncate" -> {
        long inode = open(a[1], FileTree.WRITE);
        tree.setAttributes(
            caller, inode, AttributeChange.NONE.withSizeOfOpened(Long.parseLong(a[2])));
      }
      case "punch" -> {
        long inode = open(a[1], FileTree.WRITE);
        int flags = FileTree.KEEP_SIZE | FileTree.PUNCH_HOLE;
        tree.allocate(caller, inode, flags, Long.parseLong(a[2]), Long.parseLong(a[3]));
      }
      case "seek" -> {
        long inode = open(a[1], FileTree.READ);
        return String.valueOf(tree.seek(inode, Long.parseLong(a[2]), a[3].equals("1")));
      }
      case "chmod" -> {
        int mode = Integer.parseInt(a[2]);
        if (tree.attributes(inode(a[1])).kind() == FileKind.SYMLINK) {
          throw FsException.of(Errno.ENOENT, "no link of these tests leads anywhere");
        }
        tree.setAttributes(caller, inode(a[1]), AttributeChange.NONE.withMode(mode));
      }
      case "chown" -> {
        AttributeChange change = AttributeChange.NONE;
        change = a[2].equals("-1") ? change : change.withOwner(Integer.parseInt(a[2]));
        change = a[3].equals("-1") ? change : change.withGroup(Integer.parseInt(a[3]));
        tree.setAttributes(caller, inode(a[1]), change);
      }
      case "stat" -> {
        return describe(tree.attributes(inode(a[1])));
      }
      case "list" -> {
        return list(a[1]);
      }
      default -> {
        return executeOnAttribute(a);
      }
    }
    return null;
  }

  private @Nullable String executeOnAttribute(String[] a) throws IOException {
    long inode = inode(a[1]);
    switch (a[0]) {
      case "setxattr" ->
          tree.setExtendedAttribute(
              caller, inode, bytes(a[2]), bytes(a[3]), Integer.parseInt(a[4]));
      case "getxattr" -> {
        return HEX.formatHex(tree.extendedAttribute(caller, inode, bytes(a[2])));
      }
      case "removexattr" -> tree.removeExtendedAttribute(caller, inode, bytes(a[2]));
      default -> throw new IllegalArgumentException(a[0]);
    }
    return null;
  }

  private int write(String[] a) throws IOException {
    int count = Integer.parseInt(a[3]);
    int value = Integer.parseInt(a[4]) & 0x7FFF_FFFF;
    for (int i = 0; i < count; i++) {
      value = value * 1103515245 + 12345 & 0x7FFF_FFFF;
      memory.set(i, (byte) (value >> 16));
    }
    return tree.write(caller, open(a[1], FileTree.WRITE), Long.parseLong(a[2]), memory, 0, count);
  }

  private String read(long inode, long position, int count) throws IOException {
    int bytes = tree.read(inode, position, memory, 0, count);
    byte[] copied = new byte[bytes];
    memory.copyTo(0, copied, 0, bytes);
    int[] sliced = {0};
    tree.slices(
        inode,
        position,
        count,
        (block, offset, length) -> {
          for (int i = 0; i < length; i++) {
            byte b = block.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, offset + i);
            if (b != copied[sliced[0] + i]) {
              throw new AssertionError("slices differ from reading at " + (sliced[0] + i));
            }
          }
          sliced[0] += length;
        });
    if (sliced[0] != bytes) {
      throw new AssertionError("slices gave " + sliced[0] + " of " + bytes + " bytes");
    }
    return HEX.formatHex(sha1().digest(copied));
  }

  private static MessageDigest sha1() {
    try {
      return MessageDigest.getInstance("SHA-1");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private String list(String hex) throws IOException {
    long directory = inode(hex);
    if (tree.attributes(directory).kind() == FileKind.SYMLINK) {
      throw FsException.of(Errno.ENOENT, "no link of these tests leads anywhere");
    }
    if (!tree.attributes(directory).isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "list");
    }
    if (tree.access(caller, directory, FileTree.READ) == 0) {
      throw FsException.of(Errno.EACCES, "list");
    }
    return String.join(",", names(directory).keySet());
  }

  /// Returns the entries of a directory without dots: hexadecimal names in ascending order. Each
  /// listed entry lies behind the previous one. So a name occurs twice only if a thread has removed
  /// it and created it again behind the cursor; POSIX does not specify (readdir) whether such a
  /// name is listed.
  private Map<String, Long> names(long directory) throws IOException {
    TreeMap<String, Long> names = new TreeMap<>();
    long[] cookie = {0};
    boolean end = false;
    while (!end) {
      int[] taken = {0};
      end =
          tree.list(
              directory,
              cookie[0],
              (inode, _, name, next) -> {
                if (taken[0]++ == 7) {
                  return false;
                }
                if (next <= cookie[0]) {
                  throw new AssertionError("cookie " + next + " after " + cookie[0]);
                }
                cookie[0] = next;
                boolean again =
                    !FileNames.isDots(name) && names.put(HEX.formatHex(name), inode) != null;
                if (again && alone) {
                  throw new AssertionError("listed twice: " + HEX.formatHex(name));
                }
                return true;
              });
    }
    return names;
  }

  private static String describe(FileAttributes a) {
    String size = a.isDirectory() ? "-" : String.valueOf(a.sizeBytes());
    int minor = a.deviceMinor();
    long device = (minor & 0xFF) | a.deviceMajor() << 8 | (minor & ~0xFFL) << 12;
    return String.format("%o %d %d %d %s %x", a.mode(), a.links(), a.uid(), a.gid(), size, device);
  }

  /// Returns the whole tree in the format of `kernel_tree.py`.
  String dump() throws IOException {
    List<String> out = new ArrayList<>();
    dump(tree.rootInode(), "2e", out);
    return String.join(";", out);
  }

  private void dump(long directory, String path, List<String> out) throws IOException {
    for (var entry : names(directory).entrySet()) {
      String below = path + "2f" + entry.getKey();
      if (below.equals(HEX.formatHex("./lost+found".getBytes(StandardCharsets.US_ASCII)))) {
        continue;
      }
      long inode = entry.getValue();
      FileAttributes a = tree.attributes(inode);
      StringBuilder line = new StringBuilder(below).append(' ').append(describe(a));
      if (a.kind() == FileKind.REGULAR) {
        line.append(' ').append(digest(inode, a.sizeBytes()));
      }
      if (a.kind() == FileKind.SYMLINK) {
        line.append(' ').append(HEX.formatHex(tree.readLink(inode)));
      }
      if (a.kind() == FileKind.REGULAR || a.isDirectory()) {
        line.append(" [").append(attributes(inode)).append(']');
      }
      out.add(line.toString());
      if (a.isDirectory()) {
        dump(inode, below, out);
      }
    }
  }

  private String digest(long inode, long size) throws IOException {
    MessageDigest digest = sha1();
    byte[] piece = new byte[BUFFER_BYTES];
    for (long at = 0; at < size; ) {
      int bytes = tree.read(inode, at, memory, 0, BUFFER_BYTES);
      memory.copyTo(0, piece, 0, bytes);
      digest.update(piece, 0, bytes);
      at += bytes;
    }
    return HEX.formatHex(digest.digest());
  }

  private String attributes(long inode) throws IOException {
    String all =
        new String(tree.extendedAttributes(Caller.ROOT, inode), StandardCharsets.ISO_8859_1);
    TreeMap<String, String> found = new TreeMap<>();
    for (String name : all.isEmpty() ? new String[0] : all.split("\0")) {
      byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
      found.put(name, HEX.formatHex(tree.extendedAttribute(Caller.ROOT, inode, bytes)));
    }
    List<String> lines = new ArrayList<>();
    found.forEach((name, value) -> lines.add(name + "=" + value));
    return String.join(",", lines);
  }
}
