package sluice.fs.ext2;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.Names;
import sluice.sys.Errno;

/// Looks up, creates and removes names. This class is thread-safe.
///
/// An operation on one directory and at most one file in it holds [#topology] in shared mode, and
/// locks the directory before the file. An operation that moves or removes directories holds it in
/// exclusive mode, and may lock inodes in any order. Every operation begins before it acquires any
/// lock (see [Volume#begin]).
final class Namespace {
  /// The maximum number of names of a file, which is the same as in Linux's ext2.
  static final int MAX_LINKS = 32_000;

  /// The maximum number of metadata blocks that are changed when a name is added. At most 26 blocks
  /// are changed: the new file's inode, bitmap and descriptor and the inode of its directory (4);
  /// the block, bitmap and descriptor of a new directory (3); two new directory blocks and three
  /// indirect blocks in different groups (15, and an existing indirect block); and the leaf that is
  /// split, its node and the root (3).
  static final int CREDITS = 28;

  /// The maximum number of metadata blocks that are changed when a name is removed, including those
  /// for freeing a short file.
  static final int REMOVE_CREDITS = 48;

  final ReentrantReadWriteLock topology = new ReentrantReadWriteLock();

  private final Volume volume;
  private final Geometry geometry;
  private final InodeCache inodes;
  private final InodeTable table;
  private final Directories directories;
  private final DentryCache dentries;
  private final InodeAllocator inodeAllocator;
  private final BlockAllocator blockAllocator;
  private final BlockMap map;
  private final Orphans orphans;

  Namespace(Volume volume, Ext2Parts parts) {
    this.volume = volume;
    geometry = volume.geometry;
    inodes = parts.inodes;
    table = parts.table;
    directories = parts.directories;
    dentries = parts.dentries;
    inodeAllocator = parts.inodeAllocator;
    blockAllocator = parts.blockAllocator;
    map = parts.map;
    orphans = parts.orphans;
  }

  // ---- looking up -------------------------------------------------------------------------------

  long tryLookup(Caller caller, long number, byte[] name) throws FsException {
    Inode directory = inodes.find(number);
    FileAttributes now = directory == null ? null : directory.tryAttributes();
    if (now == null || now.links() == 0 || name.length > EntryLayout.MAX_NAME_BYTES) {
      return FileTree.WOULD_BLOCK;
    }
    if (!now.isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "inode " + number);
    }
    int right = FileTree.EXECUTE;
    if (Permissions.granted(caller, now.mode(), now.uid(), now.gid(), right) != right) {
      throw FsException.of(Errno.EACCES, "directory " + number + " for " + caller);
    }
    return FileNames.isDot(name) ? number : dentries.find(number, name);
  }

  long lookup(Caller caller, long number, byte[] name) throws IOException {
    Names.check(name);
    Inode directory = inodes.lockToRead(number);
    try {
      requireSearchable(caller, directory);
      long found = find(directory, name);
      if (found == 0) {
        throw FsException.of(Errno.ENOENT, "no such name in directory " + number);
      }
      return found;
    } finally {
      directory.unlockRead();
    }
  }

  private static void requireSearchable(Caller caller, Inode directory) throws FsException {
    if (!directory.isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "inode " + directory.number);
    }
    Permissions.require(caller, directory, FileTree.EXECUTE);
  }

  /// Returns the inode number of a name, or 0 if the name does not exist. The caller must hold a
  /// lock of the directory.
  private long find(Inode directory, byte[] name) throws IOException {
    if (FileNames.isDot(name)) {
      return directory.number;
    }
    Names.checkLength(name);
    long known = dentries.find(directory.number, name);
    if (known != DentryCache.UNKNOWN) {
      return known;
    }
    Directories.Entry entry = directories.find(directory, name);
    long found = entry == null ? 0 : entry.inode();
    if (!FileNames.isDotDot(name)) {
      dentries.put(directory.number, name, found);
    }
    return found;
  }

  /// Returns the entry with the given name.
  ///
  /// @throws FsException `ENOENT` if the name does not exist
  Directories.Entry require(Inode directory, byte[] name) throws IOException {
    Names.checkLength(name);
    boolean absent = dentries.find(directory.number, name) == 0;
    Directories.Entry entry = absent ? null : directories.find(directory, name);
    if (entry == null) {
      throw FsException.of(Errno.ENOENT, "no such name in directory " + directory.number);
    }
    if (entry.inode() == directory.number) {
      throw corrupt(directory, entry, "leads to its own directory");
    }
    return entry;
  }

  // ---- creating ---------------------------------------------------------------------------------

  long create(Caller caller, long number, byte[] name, NewFile what) throws IOException {
    Names.check(name);
    if (FileNames.isDots(name)) {
      throw FsException.of(Errno.EEXIST, "the name is . or ..");
    }
    checkNew(what);
    refuseExistingWhenReadOnly(caller, number, name);
    try (Operation op = volume.begin(CREDITS)) {
      topology.readLock().lock();
      try {
        Inode directory = inodes.lockToChange(number);
        try {
          long made = create(op, caller, directory, name, what);
          op.done();
          return made;
        } finally {
          directory.unlock();
        }
      } finally {
        topology.readLock().unlock();
      }
    }
  }

  /// Throws `EEXIST` if the name already exists, even if the volume is read-only.
  private void refuseExistingWhenReadOnly(Caller caller, long number, byte[] name)
      throws IOException {
    if (volume.readOnly()) {
      Inode directory = inodes.lockToRead(number);
      try {
        requireSearchable(caller, directory);
        requireAbsent(directory, name);
      } finally {
        directory.unlockRead();
      }
    }
  }

  void requireAbsent(Inode directory, byte[] name) throws IOException {
    if (find(directory, name) != 0) {
      throw FsException.of(Errno.EEXIST, "the name is in directory " + directory.number);
    }
  }

  private void checkNew(NewFile what) throws FsException {
    if (what.kind() == FileKind.UNKNOWN) {
      throw FsException.of(Errno.EINVAL, "a new file of unknown kind");
    }
    byte[] target = what.target();
    if (what.journaledData() && what.kind() != FileKind.REGULAR) {
      throw FsException.of(Errno.EINVAL, "only the content of regular files is journaled");
    }
    if ((target == null) == (what.kind() == FileKind.SYMLINK)) {
      throw FsException.of(Errno.EINVAL, "symbolic links have a target, others have none");
    }
    if (target != null && target.length == 0) {
      throw FsException.of(Errno.ENOENT, "a symbolic link with an empty target");
    }
    if (target != null && target.length >= geometry.blockBytes) {
      throw FsException.of(Errno.ENAMETOOLONG, "a target of " + target.length + " bytes");
    }
  }

  private long create(Operation op, Caller caller, Inode directory, byte[] name, NewFile what)
      throws IOException {
    requireSearchable(caller, directory);
    requireAbsent(directory, name);
    Permissions.requireChangeable(caller, directory);
    boolean isDevice =
        what.kind() == FileKind.CHARACTER_DEVICE || what.kind() == FileKind.BLOCK_DEVICE;
    if (isDevice && !caller.privileged()) {
      throw FsException.of(Errno.EPERM, "only root may create devices");
    }
    boolean isDirectory = what.kind() == FileKind.DIRECTORY;
    if (isDirectory && directory.links >= MAX_LINKS) {
      throw FsException.of(Errno.EMLINK, "directory " + directory.number + " has too many");
    }
    Directories.PathAt place = directories.place(directory, name);
    byte[] target = what.target();
    boolean slowLink = target != null && target.length >= 4 * InodeLayout.BLOCK_POINTERS;
    inodeAllocator.reserve(op);
    int content = isDirectory || slowLink ? 1 : 0;
    volume.groups.reserveAll(op, place.newBlocks() + content, caller);
    boolean spread = (directory.flags & InodeLayout.FLAG_TOP_DIRECTORY) != 0;
    long number = inodeAllocator.allocate(op, directory.number, isDirectory, spread);
    Inode file = make(number, caller, directory, what);
    file.lock.writeLock();
    try {
      inodes.add(file);
      if (isDirectory) {
        directories.initialize(op, file, directory.number);
        directory.links++;
      } else if (target != null) {
        setTarget(op, file, target, slowLink);
      }
      table.storeNew(op, file);
    } finally {
      file.unlock();
    }
    directories.add(op, directory, place, name, file);
    touchDirectory(op, directory);
    dentries.put(directory.number, name, number);
    return number;
  }

  void touchDirectory(Operation op, Inode directory) throws IOException {
    directory.touch(AttributeChange.MODIFY | Inode.CHANGED, now(directory));
    table.store(op, directory);
  }

  long now(Inode inode) {
    return table.storable(inode, Volume.now());
  }

  private Inode make(long number, Caller caller, Inode directory, NewFile what) {
    Inode file = new Inode(number);
    file.mode = Permissions.ofNew(caller, directory, what.kind(), what.permissions());
    file.uid = caller.uid();
    file.gid = Permissions.groupOfNew(caller, directory);
    file.links = what.kind() == FileKind.DIRECTORY ? 2 : 1;
    file.generation = ThreadLocalRandom.current().nextInt();
    file.extraBytes = geometry.extraBytes;
    file.withoutCapability = true;
    if (what.journaledData()) {
      file.flags |= InodeLayout.FLAG_JOURNAL_DATA;
    }
    if (file.isDevice()) {
      file.setDevice(what.deviceMajor(), what.deviceMinor());
    }
    int times = AttributeChange.ACCESS | AttributeChange.MODIFY | Inode.CHANGED | Inode.BORN;
    long now = now(file);
    file.birthNanos = now;
    file.touch(times, now);
    return file;
  }

  private void setTarget(Operation op, Inode link, byte[] target, boolean slow) throws IOException {
    link.size = target.length;
    if (!slow) {
      for (int i = 0; i < target.length; i++) {
        link.block[i >> 2] |= (target[i] & 0xFF) << ((i & 3) << 3);
      }
      return;
    }
    long block = blockAllocator.allocate(op, map.goal(link, 0), 1) & 0xFF_FFFF_FFFFL;
    map.attach(op, link, 0, block, 1);
    try (Buffer buffer = op.create(block)) {
      buffer.set(0, target, 0, target.length);
    }
  }

  void link(Caller caller, long fileNumber, long number, byte[] name) throws IOException {
    Names.check(name);
    if (FileNames.isDots(name)) {
      throw FsException.of(Errno.EEXIST, "the name is . or ..");
    }
    Inode _ = inodes.get(fileNumber); // an unused inode number is reported before all other errors
    refuseExistingWhenReadOnly(caller, number, name);
    try (Operation op = volume.begin(CREDITS)) {
      topology.readLock().lock();
      try {
        Inode directory = inodes.lockToChange(number);
        try {
          requireSearchable(caller, directory);
          requireAbsent(directory, name);
          Permissions.requireChangeable(caller, directory);
          link(op, caller, fileNumber, directory, name);
          op.done();
        } finally {
          directory.unlock();
        }
      } finally {
        topology.readLock().unlock();
      }
    }
  }

  private void link(Operation op, Caller caller, long number, Inode directory, byte[] name)
      throws IOException {
    Inode file = inodes.lockFileToChange(number);
    try {
      Permissions.requireNotFixed(file);
      if (file.links == 0) {
        throw FsException.of(Errno.ENOENT, "inode " + number + " has no name left");
      }
      if (file.links >= MAX_LINKS) {
        throw FsException.of(Errno.EMLINK, "inode " + number + " has " + file.links + " names");
      }
      Directories.PathAt place = directories.place(directory, name);
      volume.groups.reserveAll(op, place.newBlocks(), caller);
      file.links++;
      file.touch(Inode.CHANGED, now(file));
      table.store(op, file);
      directories.add(op, directory, place, name, file);
      touchDirectory(op, directory);
      dentries.put(directory.number, name, number);
    } finally {
      file.unlock();
    }
  }

  // ---- removing ---------------------------------------------------------------------------------

  void unlink(Caller caller, long number, byte[] name) throws IOException {
    Names.check(name);
    if (FileNames.isDots(name)) {
      throw FsException.of(Errno.EISDIR, "the name is . or ..");
    }
    remove(caller, number, name, topology.readLock(), this::unlink);
  }

  /// Removes a name in a single operation while holding [#topology] and the lock of the directory.
  private void remove(Caller caller, long number, byte[] name, Lock lock, Removal removal)
      throws IOException {
    Inode left = null;
    try (Operation op = volume.begin(REMOVE_CREDITS)) {
      lock.lock();
      try {
        Inode directory = inodes.lockToChange(number);
        try {
          requireSearchable(caller, directory);
          left = removal.remove(op, caller, directory, name);
          op.done();
        } finally {
          directory.unlock();
        }
      } finally {
        lock.unlock();
      }
    }
    finish(left);
  }

  /// The part of a removal that runs after all locks have been acquired.
  private interface Removal {
    /// Removes an entry.
    ///
    /// @return the file that still has to be freed by [Namespace#finish], or null if there is none
    @Nullable Inode remove(Operation op, Caller caller, Inode directory, byte[] name)
        throws IOException;
  }

  /// Continues freeing a file that could not be freed completely by one operation.
  void finish(@Nullable Inode left) throws IOException {
    if (left != null && left.retains == 0) {
      orphans.finish(left);
    }
  }

  private @Nullable Inode unlink(Operation op, Caller caller, Inode directory, byte[] name)
      throws IOException {
    Directories.Entry entry = require(directory, name);
    boolean isDirectory = getEntry(directory, entry).isDirectory();
    if (isDirectory) {
      // A directory is not locked here because in a damaged image it may be an ancestor of this
      // directory.
      Permissions.requireRemovable(caller, directory, getEntry(directory, entry));
      throw FsException.of(Errno.EISDIR, "inode " + entry.inode());
    }
    Inode file = lockEntry(directory, entry);
    try {
      Permissions.requireRemovable(caller, directory, file);
      directories.remove(op, directory, entry, name);
      touchDirectory(op, directory);
      dentries.put(directory.number, name, 0);
      return dropName(op, file) ? null : file;
    } finally {
      file.unlock();
    }
  }

  /// Decrements the link count of a file. The caller must hold its write lock.
  ///
  /// @return false if the file must be freed in further operations
  boolean dropName(Operation op, Inode file) throws IOException {
    file.links--;
    file.touch(Inode.CHANGED, now(file));
    if (file.links > 0) {
      table.store(op, file);
      return true;
    }
    return orphans.drop(op, file);
  }

  Inode getEntry(Inode directory, Directories.Entry entry) throws IOException {
    try {
      return inodes.get(entry.inode());
    } catch (FsException e) {
      throw e.errno() == Errno.ESTALE ? dangling(directory, entry) : e;
    }
  }

  private Inode lockEntry(Inode directory, Directories.Entry entry) throws IOException {
    try {
      return inodes.lockToChange(entry.inode());
    } catch (FsException e) {
      throw e.errno() == Errno.ESTALE ? dangling(directory, entry) : e;
    }
  }

  private FsException dangling(Inode directory, Directories.Entry entry) throws IOException {
    return corrupt(directory, entry, "leads to free inode " + entry.inode());
  }

  private FsException corrupt(Inode directory, Directories.Entry entry, String what)
      throws IOException {
    long block = directories.deviceBlock(directory, entry.position() >> geometry.blockShift);
    int at = (int) entry.position() & (geometry.blockBytes - 1);
    return FsException.corrupt(directory.number, block, "entry at byte " + at + " " + what);
  }

  void rmdir(Caller caller, long number, byte[] name) throws IOException {
    Names.check(name);
    if (FileNames.isDots(name)) {
      throw FsException.of(
          FileNames.isDot(name) ? Errno.EINVAL : Errno.ENOTEMPTY, "the name is . or ..");
    }
    remove(caller, number, name, topology.writeLock(), this::rmdir);
  }

  private @Nullable Inode rmdir(Operation op, Caller caller, Inode directory, byte[] name)
      throws IOException {
    Directories.Entry entry = require(directory, name);
    Inode removed = lockEntry(directory, entry);
    try {
      Permissions.requireRemovable(caller, directory, removed);
      if (!removed.isDirectory()) {
        throw FsException.of(Errno.ENOTDIR, "inode " + removed.number);
      }
      if (removed.number == InodeLayout.ROOT) {
        throw FsException.of(Errno.EBUSY, "the root");
      }
      if (!directories.isEmpty(removed)) {
        throw FsException.of(Errno.ENOTEMPTY, "directory " + removed.number);
      }
      directories.remove(op, directory, entry, name);
      directory.links = Math.max(1, directory.links - 1);
      touchDirectory(op, directory);
      dentries.put(directory.number, name, 0);
      return dropDirectory(op, removed) ? null : removed;
    } finally {
      removed.unlock();
    }
  }

  /// Frees an empty directory that has lost its name. The caller must hold its write lock.
  ///
  /// @return false if the directory must be freed in further operations
  boolean dropDirectory(Operation op, Inode directory) throws IOException {
    directory.links = 0;
    directory.touch(Inode.CHANGED, now(directory));
    return orphans.drop(op, directory);
  }
}
