package sluice.nfs.export;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.TreeStatus;
import sluice.sys.Errno;

/// A tree as the server serves it, whatever its exports: its identity, the server's own files in
/// it, and the order of changes. Made by the thread that starts the server; any thread may use it.
///
/// The server keeps a directory in the tree's root that no client sees: the key of its file handles
/// and the records of its answers.
///
/// Locks: a thread that changes a file or the names in a directory holds its lock from the moment
/// at which it looks at the attributes before to the moment at which it has looked at those after,
/// so that what a client is told of both belongs to this change alone (weak cache consistency).
/// They are taken before a group or an operation of the tree is begun, never inside.
public final class ExportedTree implements AutoCloseable {
  private static final byte[] HIDDEN = ".sluice".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SECRET = "nfs-secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REPLIES = "nfs-replies".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DOT = {'.'};
  private static final int LOCKS = 256;

  /// Stands for the file of a name that is not there.
  public static final FileAttributes ABSENT =
      new FileAttributes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private final FileTree tree;
  private final TreeStatus status;
  private final HandleKey key;
  private final @Nullable PersistentReplies records;
  private final boolean locators;
  private final List<String> warnings;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  /// The point behind the last change under each lock, guarded by it.
  private final long[] lastChanges = new long[LOCKS];

  private ExportedTree(
      FileTree tree,
      TreeStatus status,
      HandleKey key,
      @Nullable PersistentReplies records,
      List<String> warnings)
      throws IOException {
    this.tree = tree;
    locators = tree.locator(tree.rootInode()).length > 0;
    this.status = status;
    this.key = key;
    this.records = records;
    this.warnings = warnings;
    Arrays.setAll(locks, _ -> new ReentrantLock());
  }

  /// Finds the server's files in a tree, or makes them.
  public static ExportedTree open(FileTree tree) throws IOException {
    TreeStatus status = tree.status();
    List<String> warnings = new ArrayList<>();
    if (status.readOnly()) {
      return new ExportedTree(tree, status, keyOfReadOnly(tree, status, warnings), null, warnings);
    }
    long directory = findOrMake(tree, tree.rootInode(), HIDDEN, NewFile.directory(0700));
    HandleKey key = key(tree, findOrMake(tree, directory, SECRET, NewFile.regular(0600)));
    PersistentReplies records = null;
    if (tree.atomicGroups()) {
      NewFile what = NewFile.regular(0600).withJournaledData();
      records = new PersistentReplies(tree, findOrMake(tree, directory, REPLIES, what));
    } else {
      warnings.add(
          "this tree keeps no journal: a change that was answered is stable, but one that was"
              + " repeated after the server was killed may be done twice, and a crash of the"
              + " machine may leave half of one; Fix: export an image with a journal");
    }
    tree.sync();
    return new ExportedTree(tree, status, key, records, warnings);
  }

  private static long findOrMake(FileTree tree, long directory, byte[] name, NewFile what)
      throws IOException {
    try {
      return tree.lookup(Caller.ROOT, directory, name);
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      return tree.create(Caller.ROOT, directory, name, what);
    }
  }

  private static HandleKey key(FileTree tree, long inode) throws IOException {
    try (ServerFile file = new ServerFile(tree, inode, HandleKey.BYTES)) {
      byte[] bytes = file.read(0, HandleKey.BYTES);
      if (bytes.length == HandleKey.BYTES) {
        return HandleKey.of(bytes);
      }
      HandleKey made = HandleKey.random(); // no client can have a handle yet
      file.write(0, made.bytes());
      return made;
    }
  }

  private static HandleKey keyOfReadOnly(FileTree tree, TreeStatus status, List<String> warnings)
      throws IOException {
    try {
      long directory = tree.lookup(Caller.ROOT, tree.rootInode(), HIDDEN);
      long inode = tree.lookup(Caller.ROOT, directory, SECRET);
      try (ServerFile file = new ServerFile(tree, inode, HandleKey.BYTES)) {
        byte[] bytes = file.read(0, HandleKey.BYTES);
        if (bytes.length == HandleKey.BYTES) {
          return HandleKey.of(bytes);
        }
      }
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT && e.errno() != Errno.ENOTDIR) {
        throw e;
      }
    }
    warnings.add(
        "this tree is read-only and holds no key: a client that knows its id can make file handles,"
            + " also of files outside of the exported directory; Fix: export it writable once");
    return new HandleKey(status.id(), ~status.id());
  }

  public FileTree tree() {
    return tree;
  }

  /// One of the server's own files, made where it is missing. Not in a tree that is read-only.
  ///
  /// @return its inode
  public long ownFile(byte[] name) throws IOException {
    long directory = tree.lookup(Caller.ROOT, tree.rootInode(), HIDDEN);
    return findOrMake(tree, directory, name, NewFile.regular(0600));
  }

  /// Tells trees apart; stable over restarts.
  public long treeId() {
    return status.id();
  }

  /// As of the start: what does not change.
  public TreeStatus status() {
    return status;
  }

  /// Whether it takes more than an inode number to find a file again.
  boolean hasLocators() {
    return locators;
  }

  public boolean readOnly() {
    return status.readOnly();
  }

  HandleKey key() {
    return key;
  }

  /// Where answers are kept over restarts; null where they cannot be.
  public @Nullable PersistentReplies records() {
    return records;
  }

  List<String> warnings() {
    return warnings;
  }

  // ---- names ------------------------------------------------------------------------------------

  /// The file that a name leads to, on a loop's thread. It is looked up again between two looks at
  /// the attributes, because the file may be removed and its number be given to another, and to a
  /// third (see [FileTree#find]); and that the directory still is what its handle says is looked at
  /// last.
  ///
  /// @return [#ABSENT] when there is no such name, null when that takes waiting
  public @Nullable FileAttributes tryFind(Caller caller, FileRef directory, byte[] name)
      throws FsException {
    long inode = tree.tryLookup(caller, directory.inode, name);
    if (inode == FileTree.WOULD_BLOCK) {
      return null;
    }
    FileAttributes found = inode == 0 ? ABSENT : tree.tryAttributes(inode);
    if (found == null || tree.tryLookup(caller, directory.inode, name) != inode) {
      return null;
    }
    if (inode != 0 && !found.isFileOf(tree.tryAttributes(inode))) {
      return null;
    }
    FileAttributes at = tree.tryAttributes(directory.inode);
    return at != null && at.generation() == directory.generation ? found : null;
  }

  /// The attributes of a file that a listing has named.
  ///
  /// @param version of the directory, before the listing: while it is the same, so are the names
  /// @return null when it was removed since, or is no file of this tree
  public @Nullable FileAttributes listed(FileRef directory, long version, long inode, byte[] name)
      throws IOException {
    try {
      if (tree.changesOnlyHere()) {
        FileAttributes found = tree.tryAttributes(inode);
        found = found == null ? tree.attributes(inode) : found;
        FileAttributes at = tree.tryAttributes(directory.inode);
        if (at != null && at.version() == version) {
          return found;
        }
      }
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) {
        throw e;
      }
    }
    try {
      boolean self = inode == directory.inode; // also `..` of an export's root
      return tree.find(Caller.ROOT, directory.inode, self ? DOT : name);
    } catch (FsException e) {
      if (e.errno() == Errno.ESTALE || e.errno() == Errno.ENOENT || e.errno() == Errno.EXDEV) {
        return null;
      }
      throw e;
    }
  }

  /// Whether a name is the server's own: to clients there is no such file.
  public boolean hides(long directory, byte[] name) {
    return directory == tree.rootInode() && Arrays.equals(name, HIDDEN);
  }

  /// Makes a file stable; a removed one has nothing to make stable.
  void sync(long inode, boolean dataOnly) throws IOException {
    try {
      tree.sync(inode, dataOnly);
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) {
        throw e;
      }
    }
  }

  /// Locks the changes of a file or directory.
  ///
  /// @return to be given to [#unlock]
  public int lock(long inode) {
    int place = place(inode);
    locks[place].lock();
    return place;
  }

  public void unlock(int place) {
    locks[place].unlock();
  }

  /// Locks the changes of two, in an order that all have in common.
  public void lock(long one, long other) {
    int first = Math.min(place(one), place(other));
    int second = Math.max(place(one), place(other));
    locks[first].lock();
    locks[second].lock();
  }

  public void unlock(long one, long other) {
    locks[place(one)].unlock();
    locks[place(other)].unlock();
  }

  /// Notes a change of a file or directory, whose lock the caller holds.
  ///
  /// @param point of the tree, behind it
  public void changed(long inode, long point) {
    lastChanges[place(inode)] = point;
  }

  /// The point behind the last change of a file or directory, whose lock the caller holds: what is
  /// in it was so when that is stable.
  public long lastChange(long inode) {
    return lastChanges[place(inode)];
  }

  private static int place(long inode) {
    return (int) ((inode * 0x9E37_79B9_7F4A_7C15L) >>> 56);
  }

  @Override
  public void close() {
    if (records != null) {
      records.close();
    }
  }
}
