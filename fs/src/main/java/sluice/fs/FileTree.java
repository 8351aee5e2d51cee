package sluice.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// A tree of files addressed by inode number: what NFS, FUSE, the `java.nio.file` provider and the
/// commands see, and what ext2 and a host's directory are. Any thread may call, several at a time.
///
/// It is a seam at which a domain may be cut: arguments are numbers, immutable objects and byte
/// arrays that are not changed afterwards; bulk data is in [Memory].
///
/// What POSIX refuses is an [FsException] with its errno. `ESTALE` says that an inode number is
/// not, or no longer, in use. A number is given to the next file as soon as its file is gone: a
/// caller that means one file over several calls, or in a long write, retains it ([#retain]). Names
/// are bytes, 1 to 255, without `/` and NUL; `.` and `..` are looked up like others and refused
/// where POSIX refuses them.
///
/// **Permissions** are checked by everything that takes a [Caller], as in `path_resolution(7)` and
/// the manual page of the operation. Reading, writing and listing are not: the opener of a file has
/// asked [#access] once.
///
/// **Durability.** A change is in memory when its method returns, and stable after [#sync] or
/// [#awaitStable]. What is done inside one [#group] becomes stable together or not at all where
/// [#atomicGroups] says so.
public interface FileTree extends AutoCloseable {
  int READ = 4;
  int WRITE = 2;
  int EXECUTE = 1;

  /// Flag of [#rename]: an existing target is an error (`RENAME_NOREPLACE`).
  int NO_REPLACE = 1;

  /// Flag of [#rename]: both names exist and are exchanged (`RENAME_EXCHANGE`).
  int EXCHANGE = 2;

  /// Flag of [#allocate]: the length stays (`FALLOC_FL_KEEP_SIZE`).
  int KEEP_SIZE = 1;

  /// Flag of [#allocate]: makes a hole (`FALLOC_FL_PUNCH_HOLE`), only with [#KEEP_SIZE].
  int PUNCH_HOLE = 2;

  /// What [#tryLookup] and [#tryRead] say when they would have to wait.
  long WOULD_BLOCK = -1;

  long rootInode();

  TreeStatus status() throws IOException;

  /// What it takes to find a file again, besides its inode number, when the tree has been opened
  /// anew: at most 24 bytes, empty where the number is enough.
  default byte[] locator(long inode) throws IOException {
    return new byte[0];
  }

  /// Makes an inode number good again that a tree with [#locator]s may have forgotten. Costs little
  /// when it has not.
  ///
  /// @throws FsException `ESTALE` when the file is gone
  default void recall(long inode, byte[] locator) throws IOException {}

  // ---- what a loop's thread may ask: never waits ------------------------------------------------

  /// The attributes if they are known without waiting for a device or a lock.
  default @Nullable FileAttributes tryAttributes(long inode) {
    return null;
  }

  /// As [#lookup] if that is known without waiting.
  ///
  /// @return the inode number, 0 when there is no such name, [#WOULD_BLOCK]
  default long tryLookup(Caller caller, long directory, byte[] name) throws FsException {
    return WOULD_BLOCK;
  }

  /// As [#access] if the attributes are known without waiting.
  ///
  /// @return those of the rights that are granted, or [#WOULD_BLOCK]
  default long tryAccess(Caller caller, long inode, int rights) {
    return WOULD_BLOCK;
  }

  /// As [#slices] if all of the range is in memory.
  ///
  /// @return bytes given to the sink, or [#WOULD_BLOCK] with nothing given
  default long tryRead(long inode, long position, int count, SliceSink sink) {
    return WOULD_BLOCK;
  }

  // ---- reading ----------------------------------------------------------------------------------

  FileAttributes attributes(long inode) throws IOException;

  /// The inode number of a name in a directory.
  ///
  /// @throws FsException `ENOENT`, `ENOTDIR`, `EACCES` without the right to search it
  long lookup(Caller caller, long directory, byte[] name) throws IOException;

  /// As [#lookup], with the attributes: both are of one file, although the name may be given to
  /// another meanwhile, and the number of a removed file too.
  ///
  /// @throws FsException as [#lookup]; `EAGAIN` when others change the name all the time
  default FileAttributes find(Caller caller, long directory, byte[] name) throws IOException {
    FileAttributes before = null;
    for (int attempt = 0; attempt <= 16; attempt++) {
      long inode = lookup(caller, directory, name);
      FileAttributes found = null;
      try {
        found = attributes(inode);
      } catch (FsException e) {
        if (e.errno() != Errno.ESTALE || attempt == 16) {
          throw e;
        }
      }
      // A removed file has lost its name before its number is another's. So the file that has
      // the number before and after a lookup is the one whose name it was; that the number alone
      // is the same could be the third file that has it.
      if (found != null && found.isFileOf(before)) {
        return found;
      }
      before = found;
    }
    throw FsException.of(Errno.EAGAIN, "a name in directory " + directory + " changes hands");
  }

  /// Which of the asked rights the caller has.
  ///
  /// @param rights bits of [#READ], [#WRITE], [#EXECUTE] (search, for a directory)
  /// @return those of them that are granted
  int access(Caller caller, long inode, int rights) throws IOException;

  /// Where a symbolic link leads.
  byte[] readLink(long inode) throws IOException;

  /// Copies content.
  ///
  /// @return bytes copied: fewer than `count` only at the end of the file
  int read(long inode, long position, Memory into, long at, int count) throws IOException;

  /// Shows content without copying; holes too.
  ///
  /// @return bytes given to the sink: fewer than `count` only at the end of the file
  int slices(long inode, long position, int count, SliceSink sink) throws IOException;

  /// The start of the next hole or data at or after a position (`lseek(2)`).
  ///
  /// @throws FsException `ENXIO` beyond the end
  long seek(long inode, long position, boolean hole) throws IOException;

  /// Lists a directory, `.` and `..` included.
  ///
  /// @param cookie 0 for the start, or what came with the last entry taken. A cookie stays good
  ///   while entries come and go: what was there all the time is listed exactly once
  /// @return true when the end was reached
  boolean list(long directory, long cookie, DirectorySink sink) throws IOException;

  // ---- changing ---------------------------------------------------------------------------------

  /// Makes a file with a new name; an existing name is `EEXIST`.
  ///
  /// @return its inode number
  long create(Caller caller, long directory, byte[] name, NewFile what) throws IOException;

  void link(Caller caller, long inode, long directory, byte[] name) throws IOException;

  /// Removes a name of anything but a directory. The file lives on while it is [#retain]ed.
  void unlink(Caller caller, long directory, byte[] name) throws IOException;

  void rmdir(Caller caller, long directory, byte[] name) throws IOException;

  /// @param flags 0, [#NO_REPLACE] or [#EXCHANGE]
  void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException;

  /// As `chmod`, `chown`, `truncate` and `utimensat`, in one step: all or nothing.
  void setAttributes(Caller caller, long inode, AttributeChange change) throws IOException;

  /// Writes content; takes set-user-id and set-group-id away as `write(2)` does.
  ///
  /// @return bytes written: fewer than `count` only when there is no more space
  int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws IOException;

  /// As `fallocate(2)`.
  ///
  /// @param flags 0, [#KEEP_SIZE], or both
  /// @throws FsException `EOPNOTSUPP` for blocks behind the end of the file where the tree has no
  ///   way to keep them, as ext2
  void allocate(Caller caller, long inode, int flags, long position, long length)
      throws IOException;

  // ---- extended attributes: names with their prefix, such as user.colour
  // -------------------------

  /// @throws FsException `ENODATA` when there is none, `EOPNOTSUPP` where the tree keeps none
  byte[] extendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// @param flags 0, 1 (`XATTR_CREATE`) or 2 (`XATTR_REPLACE`)
  void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws IOException;

  void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// The names, each ended by NUL, as `listxattr(2)` gives them.
  byte[] extendedAttributes(Caller caller, long inode) throws IOException;

  // ---- life and durability
  // ------------------------------------------------------------------------

  /// Keeps a file in being although its last name may go, until as many [#release]s.
  void retain(long inode) throws IOException;

  void release(long inode) throws IOException;

  /// As `fsync(2)`, or `fdatasync(2)`.
  void sync(long inode, boolean dataOnly) throws IOException;

  /// Makes everything stable.
  void sync() throws IOException;

  /// As [#sync], and leaves nothing in a log: what was changed before is at its place, so that a
  /// program which does not know logs finds it.
  default void settle() throws IOException {
    sync();
  }

  /// Whether a [#group] becomes stable as a whole or not at all, also over a crash.
  boolean atomicGroups();

  /// Whether files change only through this object: then what is read before and after a change,
  /// while others are kept from changing the file, belongs to that change alone.
  default boolean changesOnlyHere() {
    return false;
  }

  /// Whether what is written to files has its place in the order of changes, so that a
  /// [#stablePoint] behind it vouches for it too. Else only [#sync(long, boolean)] does.
  default boolean ordersContent() {
    return false;
  }

  /// Goes up whenever space that was freed has become available: with a journal that is when the
  /// freeing is stable, not when it is done.
  default long spaceFreed() {
    return 0;
  }

  /// After `ENOSPC` in a [#group]: waits for space that was freed and is not available yet. All
  /// other changes do that themselves. Not in a group.
  ///
  /// How often a change asks is its own to bound: [SpaceWait].
  ///
  /// @param seen what [#spaceFreed] said before the change was tried
  /// @return whether it may succeed now
  default boolean awaitSpace(long seen) throws IOException {
    return false;
  }

  /// Joins all that this thread changes until it is closed. It should be little: what would make it
  /// larger than a journal can take at once is refused with `E2BIG`, and what was done before it
  /// stays in the group (of a long write or cut, so does the part that is done). Removing is always
  /// little: the space of a large file comes free when the group is closed.
  Group group() throws IOException;

  /// A point in the order of changes: everything that has been done so far is before it; of what
  /// was written to files see [#ordersContent].
  long stablePoint();

  /// Waits until everything before the point is stable.
  void awaitStable(long point) throws IOException;

  /// Runs `then` when everything before the point is stable, or with the reason why it never will
  /// be: at once when that is known, else on a thread of the tree, which it must not hold up.
  void whenStable(long point, StableListener then);

  @Override
  void close() throws IOException;

  /// The end of a group of changes. Of the thread that opened it.
  interface Group extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /// Hears that changes have become stable.
  @FunctionalInterface
  interface StableListener {
    /// @param failure null when they are stable
    void stable(@Nullable IOException failure);
  }
}
