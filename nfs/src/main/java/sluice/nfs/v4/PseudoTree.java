package sluice.nfs.v4;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.DirectorySink;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SliceSink;
import sluice.fs.TreeStatus;
import sluice.memory.Memory;
import sluice.nfs.export.Export;
import sluice.sys.Errno;

/// A read-only tree of the directories that lead to the exports. The tree is filled by the thread
/// that starts the server and is thread-safe afterwards.
///
/// The inode number of a directory is computed from its path, so that handles remain valid after a
/// restart.
final class PseudoTree implements FileTree {
  private static final long ROOT = 2;
  private static final int MODE = FileKind.DIRECTORY.modeBits() | 0555;

  private static final class Node {
    final long inode;
    final byte[] name;
    final Node parent;
    final List<Node> children = new ArrayList<>();
    @Nullable Export export;

    Node(long inode, byte[] name, @Nullable Node parent) {
      this.inode = inode;
      this.name = name;
      this.parent = parent == null ? this : parent;
    }
  }

  private final Node root = new Node(ROOT, new byte[0], null);
  private final List<Node> nodes = new ArrayList<>(List.of(root));
  private final long startNanos = System.currentTimeMillis() * 1_000_000L;

  /// Adds the directories that lead to an export. Must be called before other threads use the tree.
  void add(Export export) {
    Node at = root;
    for (byte[] name : PseudoRoot.names(export.path())) {
      Node next = child(at, name);
      if (next == null) {
        next = new Node(number(at, name), name, at);
        at.children.add(next);
        nodes.add(next);
      }
      at = next;
    }
    at.export = export;
  }

  private long number(Node parent, byte[] name) {
    CRC32 sum = new CRC32();
    sum.update(Long.toString(parent.inode).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    sum.update(name);
    long number = sum.getValue() + ROOT + 1;
    while (has(number)) {
      number++;
    }
    return number;
  }

  private static @Nullable Node child(Node parent, byte[] name) {
    for (Node child : parent.children) {
      if (Arrays.equals(child.name, name)) {
        return child;
      }
    }
    return null;
  }

  private @Nullable Node find(long inode) {
    for (Node node : nodes) {
      if (node.inode == inode) {
        return node;
      }
    }
    return null;
  }

  private Node require(long inode) throws FsException {
    Node node = find(inode);
    if (node == null) {
      throw FsException.of(Errno.ESTALE, "no such directory above the exports");
    }
    return node;
  }

  boolean has(long inode) {
    return find(inode) != null;
  }

  /// Returns the export that covers a directory, or null if there is none.
  @Nullable Export exportAt(long inode) {
    Node node = find(inode);
    return node == null ? null : node.export;
  }

  /// Returns the inode number of the directory that is covered by the given export.
  long inodeOf(Export export) {
    for (Node node : nodes) {
      if (node.export == export) {
        return node.inode;
      }
    }
    return ROOT;
  }

  long lookupParent(long inode) throws FsException {
    return require(inode).parent.inode;
  }

  @Override
  public long rootInode() {
    return ROOT;
  }

  @Override
  public TreeStatus status() {
    return new TreeStatus(512, 0, 0, 0, nodes.size(), 0, 255, 1, 0, 0, true);
  }

  @Override
  public @Nullable FileAttributes tryAttributes(long inode) {
    Node node = find(inode);
    return node == null ? null : attributes(node);
  }

  @Override
  public FileAttributes attributes(long inode) throws FsException {
    return attributes(require(inode));
  }

  private FileAttributes attributes(Node node) {
    int links = 2 + node.children.size();
    long time = startNanos;
    return new FileAttributes(
        node.inode, 0, MODE, links, 0, 0, 512, 0, 0, 0, time, time, time, 0, time);
  }

  @Override
  public long lookup(Caller caller, long directory, byte[] name) throws FsException {
    Node found = child(require(directory), name);
    if (found == null) {
      throw FsException.of(Errno.ENOENT, "no export has this path");
    }
    return found.inode;
  }

  @Override
  public long tryAccess(Caller caller, long inode, int rights) {
    return access(caller, inode, rights);
  }

  @Override
  public int access(Caller caller, long inode, int rights) {
    return rights & (READ | EXECUTE);
  }

  @Override
  public boolean list(long directory, long cookie, DirectorySink sink) throws FsException {
    List<Node> children = require(directory).children;
    for (long i = Math.max(0, cookie); i < children.size(); i++) {
      Node child = children.get((int) i);
      if (!sink.entry(child.inode, FileKind.DIRECTORY, child.name.clone(), i + 1)) {
        return false;
      }
    }
    return true;
  }

  private static FsException readOnly() {
    return FsException.of(Errno.EROFS, "above the exports nothing can be changed");
  }

  private static FsException directory() {
    return FsException.of(Errno.EISDIR, "above the exports there are only directories");
  }

  @Override
  public byte[] readLink(long inode) throws FsException {
    throw FsException.of(Errno.EINVAL, "no symbolic link");
  }

  @Override
  public int read(long inode, long position, Memory into, long at, int count) throws FsException {
    throw directory();
  }

  @Override
  public int slices(long inode, long position, int count, SliceSink sink) throws FsException {
    throw directory();
  }

  @Override
  public long seek(long inode, long position, boolean hole) throws FsException {
    throw directory();
  }

  @Override
  public long create(Caller caller, long directory, byte[] name, NewFile what) throws FsException {
    throw readOnly();
  }

  @Override
  public void link(Caller caller, long inode, long directory, byte[] name) throws FsException {
    throw readOnly();
  }

  @Override
  public void unlink(Caller caller, long directory, byte[] name) throws FsException {
    throw readOnly();
  }

  @Override
  public void rmdir(Caller caller, long directory, byte[] name) throws FsException {
    throw readOnly();
  }

  @Override
  public void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws FsException {
    throw readOnly();
  }

  @Override
  public void setAttributes(Caller caller, long inode, AttributeChange change) throws FsException {
    throw readOnly();
  }

  @Override
  public int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws FsException {
    throw readOnly();
  }

  @Override
  public void allocate(Caller caller, long inode, int flags, long position, long length)
      throws FsException {
    throw readOnly();
  }

  @Override
  public byte[] extendedAttribute(Caller caller, long inode, byte[] name) throws FsException {
    throw FsException.of(Errno.ENODATA, "no extended attributes");
  }

  @Override
  public void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws FsException {
    throw readOnly();
  }

  @Override
  public void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws FsException {
    throw readOnly();
  }

  @Override
  public byte[] extendedAttributes(Caller caller, long inode) {
    return new byte[0];
  }

  @Override
  public void retain(long inode) {}

  @Override
  public void release(long inode) {}

  @Override
  public void sync(long inode, boolean dataOnly) {}

  @Override
  public void sync() {}

  @Override
  public boolean atomicGroups() {
    return false;
  }

  @Override
  public Group group() throws IOException {
    throw readOnly();
  }

  @Override
  public long stablePoint() {
    return 0;
  }

  @Override
  public void awaitStable(long point) {}

  @Override
  public void whenStable(long point, StableListener then) {
    then.stable(null);
  }

  @Override
  public void close() {}
}
