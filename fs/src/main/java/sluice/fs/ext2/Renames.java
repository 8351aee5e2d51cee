package sluice.fs.ext2;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.Names;
import sluice.sys.Errno;

/// Implements all variants of `renameat2(2)`. This class is thread-safe. Each rename holds
/// [Namespace#topology] in exclusive mode.
final class Renames {
  private final Volume volume;
  private final InodeCache inodes;
  private final InodeTable table;
  private final Directories directories;
  private final DentryCache dentries;
  private final Namespace namespace;

  Renames(Volume volume, Ext2Parts parts, Namespace namespace) {
    this.volume = volume;
    this.namespace = namespace;
    inodes = parts.inodes;
    table = parts.table;
    directories = parts.directories;
    dentries = parts.dentries;
  }

  /// A rename that is in progress. It contains both directories, the names, and the files to which
  /// the names refer, all of which are locked.
  private static final class Move {
    final Caller caller;
    final Inode from;
    final byte[] name;
    final Inode to;
    final byte[] newName;
    final Directories.Entry entry;
    final Inode file;
    Directories.@Nullable Entry targetEntry;
    @Nullable Inode target;

    Move(Caller caller, Inode from, Inode to, byte[][] names, Directories.Entry entry, Inode file) {
      this.caller = caller;
      this.from = from;
      this.to = to;
      name = names[0];
      newName = names[1];
      this.entry = entry;
      this.file = file;
    }

    boolean changesDirectory() {
      return from != to;
    }
  }

  void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException {
    Names.check(name);
    Names.check(newName);
    boolean exchange = (flags & FileTree.EXCHANGE) != 0;
    boolean noReplace = (flags & FileTree.NO_REPLACE) != 0;
    if ((flags & ~(FileTree.EXCHANGE | FileTree.NO_REPLACE)) != 0 || (exchange && noReplace)) {
      throw FsException.of(Errno.EINVAL, "flags " + flags + " of rename");
    }
    if (FileNames.isDots(name)) {
      throw FsException.of(Errno.EBUSY, "the name is . or ..");
    }
    if (FileNames.isDots(newName)) {
      throw FsException.of(noReplace ? Errno.EEXIST : Errno.EBUSY, "the name is . or ..");
    }
    Inode left = null;
    try (Operation op = volume.begin(Namespace.REMOVE_CREDITS)) {
      namespace.topology.writeLock().lock();
      Inode[] locked = {};
      try {
        Move move;
        do {
          move = find(caller, inodes.get(from), inodes.get(to), new byte[][] {name, newName});
          findTarget(move, noReplace, exchange);
          if (move.target == move.file) {
            return;
          }
          locked = lockAll(move.from, move.to, move.file, move.target);
        } while (locked.length == 0);
        check(move, exchange);
        left = exchange ? exchange(op, move) : move(op, move);
        op.done();
      } finally {
        for (Inode inode : locked) {
          inode.unlock();
        }
        namespace.topology.writeLock().unlock();
      }
    }
    namespace.finish(left);
  }

  private Move find(Caller caller, Inode from, Inode to, byte[][] names) throws IOException {
    requireSearchable(caller, from);
    requireSearchable(caller, to);
    Directories.Entry entry = namespace.require(from, names[0]);
    return new Move(caller, from, to, names, entry, namespace.getEntry(from, entry));
  }

  private static void requireSearchable(Caller caller, Inode directory) throws FsException {
    if (!directory.isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "inode " + directory.number);
    }
    Permissions.require(caller, directory, FileTree.EXECUTE);
  }

  private void findTarget(Move move, boolean noReplace, boolean exchange) throws IOException {
    Names.checkLength(move.newName);
    Directories.Entry found = directories.find(move.to, move.newName);
    if (found == null) {
      if (exchange) {
        throw FsException.of(Errno.ENOENT, "nothing to exchange with");
      }
    } else if (noReplace) {
      throw FsException.of(Errno.EEXIST, "the new name exists");
    } else {
      move.targetEntry = found;
      move.target = namespace.getEntry(move.to, found);
    }
    if (isAncestor(move.file, move.to)) {
      throw FsException.of(Errno.EINVAL, "directory " + move.file.number + " into itself");
    }
    if (move.target != null && isAncestor(move.target, move.from)) {
      throw FsException.of(
          exchange ? Errno.EINVAL : Errno.ENOTEMPTY, "directory " + move.target.number);
    }
  }

  /// Returns true if `above` is the same directory as `below` or one of its ancestors. No directory
  /// can be moved while this method runs.
  private boolean isAncestor(Inode above, Inode below) throws IOException {
    if (!above.isDirectory()) {
      return false;
    }
    Inode at = below;
    for (int steps = 0; steps <= volume.geometry.inodes; steps++) {
      if (at == above) {
        return true;
      }
      if (at.number == InodeLayout.ROOT) {
        return false;
      }
      Directories.Entry parent = directories.find(at, Names.DOT_DOT);
      if (parent == null) {
        throw FsException.corrupt(at.number, -1, "a directory without ..");
      }
      at = namespace.getEntry(at, parent);
    }
    throw FsException.corrupt(below.number, -1, "a cycle of directories");
  }

  /// Locks each inode exactly once. This cannot deadlock because renames exclude each other, and no
  /// other thread waits for a lock while it holds one.
  ///
  /// @return the locked inodes, or an empty array if one of them was evicted from memory in the
  ///   meantime
  private static Inode[] lockAll(Inode from, Inode to, Inode file, @Nullable Inode target)
      throws FsException {
    Inode[] all = new Inode[4];
    int count = 0;
    for (Inode inode : new @Nullable Inode[] {from, to, file, target}) {
      if (inode != null && !Arrays.asList(all).contains(inode)) {
        all[count++] = inode;
      }
    }
    for (int i = 0; i < count; i++) {
      all[i].lock.writeLock();
    }
    Inode[] locked = Arrays.copyOf(all, count);
    for (Inode inode : locked) {
      if (inode.gone || !inode.isAlive()) {
        for (Inode held : locked) {
          held.unlock();
        }
        if (inode.gone) {
          return new Inode[0];
        }
        throw FsException.of(Errno.ESTALE, "inode " + inode.number + " was removed");
      }
    }
    return locked;
  }

  private void check(Move move, boolean exchange) throws IOException {
    Inode file = move.file;
    Inode target = move.target;
    Permissions.requireRemovable(move.caller, move.from, file);
    if (target == null) {
      Permissions.requireChangeable(move.caller, move.to);
    } else {
      Permissions.requireRemovable(move.caller, move.to, target);
      if (!exchange && file.isDirectory() != target.isDirectory()) {
        int errno = file.isDirectory() ? Errno.ENOTDIR : Errno.EISDIR;
        throw FsException.of(errno, "inode " + target.number);
      }
    }
    if (move.changesDirectory()) {
      // A move to another directory changes the `..` entry of the moved directory.
      if (file.isDirectory()) {
        Permissions.require(move.caller, file, FileTree.WRITE);
      }
      if (exchange && target != null && target.isDirectory()) {
        Permissions.require(move.caller, target, FileTree.WRITE);
      }
    }
    checkFits(move, exchange);
  }

  private void checkFits(Move move, boolean exchange) throws IOException {
    Inode target = move.target;
    if (!exchange && target != null && target.isDirectory() && !directories.isEmpty(target)) {
      throw FsException.of(Errno.ENOTEMPTY, "directory " + target.number);
    }
    boolean gains =
        move.changesDirectory()
            && move.file.isDirectory()
            && (target == null || !target.isDirectory());
    boolean losesToSource =
        exchange
            && move.changesDirectory()
            && target != null
            && target.isDirectory()
            && !move.file.isDirectory();
    if ((gains && move.to.links >= Namespace.MAX_LINKS)
        || (losesToSource && move.from.links >= Namespace.MAX_LINKS)) {
      throw FsException.of(Errno.EMLINK, "directory " + move.to.number + " has too many");
    }
    if (target != null && target.number == InodeLayout.ROOT) {
      throw FsException.of(Errno.EBUSY, "the root");
    }
  }

  private @Nullable Inode move(Operation op, Move move) throws IOException {
    Inode file = move.file;
    Inode target = move.target;
    Directories.Entry entry = move.entry;
    if (target == null) {
      Directories.PathAt place = directories.place(move.to, move.newName);
      volume.groups.reserveAll(op, place.newBlocks(), move.caller);
      directories.add(op, move.to, place, move.newName, file);
      if (place.movesOthers() && !move.changesDirectory()) {
        entry = namespace.require(move.from, move.name);
      }
    } else {
      directories.replace(op, move.to, requireEntry(move), file);
    }
    directories.remove(op, move.from, entry, move.name);
    dentries.put(move.from.number, move.name, 0);
    dentries.put(move.to.number, move.newName, file.number);
    if (file.isDirectory() && move.changesDirectory()) {
      setParent(op, file, move.to);
      move.from.links--;
      move.to.links++;
    }
    if (target != null && target.isDirectory()) {
      move.to.links--;
    }
    file.touch(Inode.CHANGED, namespace.now(file));
    table.store(op, file);
    namespace.touchDirectory(op, move.from);
    if (move.changesDirectory()) {
      namespace.touchDirectory(op, move.to);
    }
    if (target == null) {
      return null;
    }
    boolean gone =
        target.isDirectory() ? namespace.dropDirectory(op, target) : namespace.dropName(op, target);
    return gone ? null : target;
  }

  private static Directories.Entry requireEntry(Move move) {
    Directories.Entry entry = move.targetEntry;
    if (entry == null) {
      throw new IllegalStateException("a rename over nothing");
    }
    return entry;
  }

  private void setParent(Operation op, Inode directory, Inode parent) throws IOException {
    Directories.Entry entry = directories.find(directory, Names.DOT_DOT);
    if (entry == null) {
      throw FsException.corrupt(directory.number, -1, "a directory without ..");
    }
    directories.replace(op, directory, entry, parent);
  }

  private @Nullable Inode exchange(Operation op, Move move) throws IOException {
    Inode file = move.file;
    Inode target = move.target;
    if (target == null) {
      throw new IllegalStateException("nothing to exchange with");
    }
    directories.replace(op, move.from, move.entry, target);
    directories.replace(op, move.to, requireEntry(move), file);
    dentries.put(move.from.number, move.name, target.number);
    dentries.put(move.to.number, move.newName, file.number);
    if (move.changesDirectory()) {
      if (file.isDirectory()) {
        setParent(op, file, move.to);
        move.from.links--;
        move.to.links++;
      }
      if (target.isDirectory()) {
        setParent(op, target, move.from);
        move.to.links--;
        move.from.links++;
      }
    }
    for (Inode moved : new Inode[] {file, target}) {
      moved.touch(Inode.CHANGED, namespace.now(moved));
      table.store(op, moved);
    }
    namespace.touchDirectory(op, move.from);
    if (move.changesDirectory()) {
      namespace.touchDirectory(op, move.to);
    }
    return null;
  }
}
