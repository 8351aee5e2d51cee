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

/// A file tree that a server exports, possibly more than once. It manages the identity of the tree,
/// the files that the server itself stores in it, and the locks for changes. Instances are created
/// by the thread that starts the server and are thread-safe.
///
/// The server creates a hidden directory in the root of the tree. It contains the key of the file
/// handles and the records of replies.
///
/// A thread that changes a file or the names in a directory acquires the corresponding lock before
/// it reads the old attributes, and releases it after it has read the new attributes. A client that
/// compares both therefore sees only this change (weak cache consistency). To avoid deadlocks, a
/// lock is always acquired before a group or an operation of the tree begins, never within one.
public final class ExportedTree implements AutoCloseable {
  private static final byte[] HIDDEN = ".sluice".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SECRET = "nfs-secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REPLIES = "nfs-replies".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DOT = {'.'};
  private static final int LOCKS = 256;

  /// The result of [#tryFind] for a name that does not exist.
  public static final FileAttributes ABSENT =
      new FileAttributes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private final FileTree tree;
  private final TreeStatus status;
  private final HandleKey key;
  private final @Nullable PersistentReplies records;
  private final boolean locators;
  private final List<String> warnings;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  /// The stable points of the most recent change under each lock, guarded by that lock.
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

  /// Opens a tree, and creates the server's own files in it if they do not exist.
  ///
  /// @throws IOException if the files cannot be read or created
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

  /// Returns one of the server's own files, and creates it if it does not exist. Must not be called
  /// for a read-only tree.
  ///
  /// @return the inode of the file
  public long ownFile(byte[] name) throws IOException {
    long directory = tree.lookup(Caller.ROOT, tree.rootInode(), HIDDEN);
    return findOrMake(tree, directory, name, NewFile.regular(0600));
  }

  /// Returns the ID of this tree, which is unique and survives a restart.
  public long treeId() {
    return status.id();
  }

  /// Returns the status of this tree at the time it was opened. Only its constant values are still
  /// valid.
  public TreeStatus status() {
    return status;
  }

  /// Returns true if a file handle must contain more than the inode number so that its file can be
  /// found.
  boolean hasLocators() {
    return locators;
  }

  public boolean readOnly() {
    return status.readOnly();
  }

  HandleKey key() {
    return key;
  }

  /// Returns the store of replies that survive a restart, or null if the tree has no atomic groups.
  public @Nullable PersistentReplies records() {
    return records;
  }

  List<String> warnings() {
    return warnings;
  }

  // ---- names ------------------------------------------------------------------------------------

  /// Looks up a name on a loop's thread. The name is looked up twice and the attributes are read
  /// twice, because the file may be removed in between and its inode number may be reused (see
  /// [FileTree#find]). Finally, the generation of the directory is checked.
  ///
  /// @return the attributes, [#ABSENT] if the name does not exist, or null if the lookup would have
  ///   to wait
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

  /// Returns the attributes of a file that is part of a directory listing.
  ///
  /// @param version the version of the directory before the listing; the names are valid while it
  ///   is unchanged
  /// @return null if the file has been removed in the meantime or is not in this tree
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
      boolean self = inode == directory.inode; // also true for `..` in an export's root
      return tree.find(Caller.ROOT, directory.inode, self ? DOT : name);
    } catch (FsException e) {
      if (e.errno() == Errno.ESTALE || e.errno() == Errno.ENOENT || e.errno() == Errno.EXDEV) {
        return null;
      }
      throw e;
    }
  }

  /// Returns true if a name refers to the server's hidden directory, which clients must not see.
  public boolean hides(long directory, byte[] name) {
    return directory == tree.rootInode() && Arrays.equals(name, HIDDEN);
  }

  /// Makes the changes of a file stable. Does nothing if the file has been removed.
  void sync(long inode, boolean dataOnly) throws IOException {
    try {
      tree.sync(inode, dataOnly);
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) {
        throw e;
      }
    }
  }

  /// Acquires the lock for changes of a file or directory.
  ///
  /// @return the value to pass to [#unlock]
  public int lock(long inode) {
    int place = place(inode);
    locks[place].lock();
    return place;
  }

  public void unlock(int place) {
    locks[place].unlock();
  }

  /// Acquires the locks for changes of two files or directories in a global order, in order to
  /// avoid a deadlock.
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

  /// Records a change of a file or directory. The caller must hold its lock.
  ///
  /// @param point the stable point of the change
  public void changed(long inode, long point) {
    lastChanges[place(inode)] = point;
  }

  /// Returns the stable point of the most recent change of a file or directory. The caller must
  /// hold its lock.
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
