package sluice.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// A tree of files addressed by inode number: the interface between its users (NFS, FUSE, the
/// `java.nio.file` provider, the commands) and its implementations (ext2, a directory of the host).
/// Safe for use by several threads at a time.
///
/// The interface can be cut between domains: arguments are numbers, immutable objects, and byte
/// arrays that do not change afterwards; bulk data is in [Memory].
///
/// Errors that POSIX defines are an [FsException] with the errno. `ESTALE` means that an inode
/// number is not in use, or no longer. The number of a removed file may be reused at once: a caller
/// that means the same file in several calls, or in a long write, retains it ([#retain]). Names are
/// bytes, 1 to 255, without `/` and NUL; `.` and `..` can be looked up like other names and are
/// rejected where POSIX rejects them.
///
/// **Permissions** are checked by all methods with a [Caller], as in `path_resolution(7)` and the
/// manual page of the operation. Reading, writing and listing check no permissions: the caller has
/// checked [#access] when it opened the file.
///
/// **Durability.** A change is in memory when its method returns, and stable after [#sync] or
/// [#awaitStable]. If [#atomicGroups] is true, the changes inside of one [#group] become stable
/// together or not at all.
public interface FileTree extends AutoCloseable {
  int READ = 4;
  int WRITE = 2;
  int EXECUTE = 1;

  /// A flag of [#rename]: an existing target is an error (`RENAME_NOREPLACE`).
  int NO_REPLACE = 1;

  /// A flag of [#rename]: both names exist and are exchanged (`RENAME_EXCHANGE`).
  int EXCHANGE = 2;

  /// A flag of [#allocate]: the length does not change (`FALLOC_FL_KEEP_SIZE`).
  int KEEP_SIZE = 1;

  /// A flag of [#allocate]: punches a hole (`FALLOC_FL_PUNCH_HOLE`), only with [#KEEP_SIZE].
  int PUNCH_HOLE = 2;

  /// The result of [#tryLookup], [#tryAccess] and [#tryRead] if they would have to wait.
  long WOULD_BLOCK = -1;

  long rootInode();

  TreeStatus status() throws IOException;

  /// Returns the data that, besides the inode number, is needed to find a file again after the tree
  /// was reopened: at most 24 bytes, empty if the number suffices.
  default byte[] locator(long inode) throws IOException {
    return new byte[0];
  }

  /// Makes an inode number valid again that a tree with [#locator]s may have forgotten. Cheap if
  /// the number is still valid.
  ///
  /// @throws FsException `ESTALE` if the file is gone
  default void recall(long inode, byte[] locator) throws IOException {}

  // ---- queries for a loop's thread: they never wait ---------------------------------------------

  /// Returns the attributes if they are known without waiting for a device or a lock, else null.
  default @Nullable FileAttributes tryAttributes(long inode) {
    return null;
  }

  /// Looks up a name like [#lookup] if the answer is known without waiting.
  ///
  /// @return the inode number, 0 if there is no such name, [#WOULD_BLOCK] if unknown
  default long tryLookup(Caller caller, long directory, byte[] name) throws FsException {
    return WOULD_BLOCK;
  }

  /// Checks rights like [#access] if the attributes are known without waiting.
  ///
  /// @return the subset of the rights that is granted, or [#WOULD_BLOCK]
  default long tryAccess(Caller caller, long inode, int rights) {
    return WOULD_BLOCK;
  }

  /// Reads slices like [#slices] if the whole range is in memory.
  ///
  /// @return the number of bytes passed to the sink, or [#WOULD_BLOCK] if none was
  default long tryRead(long inode, long position, int count, SliceSink sink) {
    return WOULD_BLOCK;
  }

  // ---- reading ----------------------------------------------------------------------------------

  FileAttributes attributes(long inode) throws IOException;

  /// Returns the inode number of a name in a directory.
  ///
  /// @throws FsException `ENOENT`, `ENOTDIR`, `EACCES` without the right to search it
  long lookup(Caller caller, long directory, byte[] name) throws IOException;

  /// Looks up a name and returns the attributes of its file. Both belong to the same file, although
  /// the name may be reassigned and the number reused meanwhile.
  ///
  /// @throws FsException as [#lookup]; `EAGAIN` if the name changes again and again
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
      // A file loses its name before its number is reused. So the name belonged to the file that
      // has
      // the number both before and after a lookup. An equal number alone is not enough: it could
      // belong to a third file.
      if (found != null && found.isFileOf(before)) {
        return found;
      }
      before = found;
    }
    throw FsException.of(Errno.EAGAIN, "a name in directory " + directory + " changes hands");
  }

  /// Returns the subset of the requested rights that the caller has.
  ///
  /// @param rights bits of [#READ], [#WRITE], [#EXECUTE] (search, for a directory)
  /// @return the granted bits
  int access(Caller caller, long inode, int rights) throws IOException;

  /// Returns the target of a symbolic link.
  byte[] readLink(long inode) throws IOException;

  /// Copies content.
  ///
  /// @return the number of bytes copied; less than `count` only at the end of the file
  int read(long inode, long position, Memory into, long at, int count) throws IOException;

  /// Passes content to a sink without copying, including holes.
  ///
  /// @return the number of bytes passed; less than `count` only at the end of the file
  int slices(long inode, long position, int count, SliceSink sink) throws IOException;

  /// Returns the start of the next hole or data at or after a position (`lseek(2)`).
  ///
  /// @throws FsException `ENXIO` beyond the end
  long seek(long inode, long position, boolean hole) throws IOException;

  /// Lists a directory, including `.` and `..`.
  ///
  /// @param cookie 0 for the start, or the cookie of the last entry received. A cookie stays valid
  ///   while entries come and go: entries that exist all the time are listed exactly once
  /// @return true if the end was reached
  boolean list(long directory, long cookie, DirectorySink sink) throws IOException;

  // ---- changing ---------------------------------------------------------------------------------

  /// Creates a file with a new name. An existing name is `EEXIST`.
  ///
  /// @return its inode number
  long create(Caller caller, long directory, byte[] name, NewFile what) throws IOException;

  void link(Caller caller, long inode, long directory, byte[] name) throws IOException;

  /// Removes a name of anything but a directory. The file exists while it is [#retain]ed.
  void unlink(Caller caller, long directory, byte[] name) throws IOException;

  void rmdir(Caller caller, long directory, byte[] name) throws IOException;

  /// Renames a file, as `renameat2(2)`.
  ///
  /// @param flags 0, [#NO_REPLACE] or [#EXCHANGE]
  void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException;

  /// Changes attributes like `chmod`, `chown`, `truncate` and `utimensat`, in one step: all or
  /// nothing.
  void setAttributes(Caller caller, long inode, AttributeChange change) throws IOException;

  /// Writes content. Clears set-user-id and set-group-id as `write(2)` does.
  ///
  /// @return the number of bytes written; less than `count` only if there is no more space
  int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws IOException;

  /// Allocates space or punches a hole, as `fallocate(2)`.
  ///
  /// @param flags 0, [#KEEP_SIZE], or both flags
  /// @throws FsException `EOPNOTSUPP` for blocks behind the end of the file if the tree cannot
  ///   store them, as ext2
  void allocate(Caller caller, long inode, int flags, long position, long length)
      throws IOException;

  // ---- extended attributes: names with their prefix, such as user.colour ------------------------

  /// Returns the value of an extended attribute.
  ///
  /// @throws FsException `ENODATA` if there is none, `EOPNOTSUPP` if the tree has no such
  ///   attributes
  byte[] extendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// Sets an extended attribute.
  ///
  /// @param flags 0, 1 (`XATTR_CREATE`) or 2 (`XATTR_REPLACE`)
  void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws IOException;

  void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// Returns the names, each terminated by NUL, as `listxattr(2)`.
  byte[] extendedAttributes(Caller caller, long inode) throws IOException;

  // ---- life and durability ----------------------------------------------------------------------

  /// Keeps a file alive even if it loses its last name, until an equal number of calls of
  /// [#release].
  void retain(long inode) throws IOException;

  void release(long inode) throws IOException;

  /// Makes a file stable, as `fsync(2)` or `fdatasync(2)`.
  void sync(long inode, boolean dataOnly) throws IOException;

  /// Makes everything stable.
  void sync() throws IOException;

  /// Makes everything stable and empties the log: all changes are at their places, so that a
  /// program without support for logs finds them.
  default void settle() throws IOException {
    sync();
  }

  /// Returns true if a [#group] is atomic, also with respect to a crash.
  boolean atomicGroups();

  /// Returns true if files change only through this object. Then a difference between two reads,
  /// while other callers are kept from changing the file, is due to the change in between alone.
  default boolean changesOnlyHere() {
    return false;
  }

  /// Returns true if writes of content are part of the order of changes, so that a [#stablePoint]
  /// behind a write covers it. Otherwise only [#sync(long, boolean)] makes content stable.
  default boolean ordersContent() {
    return false;
  }

  /// Returns a counter that grows when freed space becomes available. With a journal, this happens
  /// when the freeing is stable.
  default long spaceFreed() {
    return 0;
  }

  /// Waits for freed space that is not available yet, after `ENOSPC` in a [#group]. All other
  /// changes do so themselves. Must not be called in a group.
  ///
  /// The caller bounds the number of its attempts with [SpaceWait].
  ///
  /// @param seen the result of [#spaceFreed] before the change was tried
  /// @return true if the change may succeed now
  default boolean awaitSpace(long seen) throws IOException {
    return false;
  }

  /// Groups all changes that this thread makes until the group is closed. A group should be small:
  /// a change that would make it larger than the journal allows is rejected with `E2BIG`, and
  /// earlier changes stay in the group (also the completed part of a long write or truncation).
  /// Removing is always small: the space of a large file is freed when the group is closed.
  Group group() throws IOException;

  /// Returns a point in the order of changes that is behind everything done so far; for content see
  /// [#ordersContent].
  long stablePoint();

  /// Waits until everything before a point is stable.
  void awaitStable(long point) throws IOException;

  /// Calls `then` when everything before a point is stable, or with the reason why it never will
  /// be. If that is known, the call is made at once; otherwise by a thread of the tree, which the
  /// listener must not block.
  void whenStable(long point, StableListener then);

  @Override
  void close() throws IOException;

  /// A group of changes, which ends when it is closed. Confined to the thread that opened it.
  interface Group extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /// Receives the notice that changes have become stable.
  @FunctionalInterface
  interface StableListener {
    /// Receives the notice.
    ///
    /// @param failure null if the changes are stable
    void stable(@Nullable IOException failure);
  }
}
