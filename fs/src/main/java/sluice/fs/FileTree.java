package sluice.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// A tree of files that are addressed by inode number. This is the interface between the users of
/// file systems (NFS, FUSE, the `java.nio.file` provider, the commands) and their implementations
/// (ext2, a directory of the host). Implementations may be used by several threads at the same
/// time.
///
/// The interface can be used across domains: all arguments are numbers, immutable objects, or byte
/// arrays that are not modified after the call, and bulk data is passed in [Memory].
///
/// Errors that are defined by POSIX are reported as an [FsException] with the errno. `ESTALE` means
/// that an inode number is not in use, or is no longer in use. The number of a removed file may be
/// reused immediately. A caller that needs several calls, or a long write, to refer to the same
/// file must retain it first ([#retain]). Names consist of 1 to 255 bytes and must not contain `/`
/// or NUL. The names `.` and `..` can be looked up like other names, and are rejected where POSIX
/// rejects them.
///
/// **Permissions** are checked by every method that has a [Caller] parameter, as described in
/// `path_resolution(7)` and in the manual page of the operation. Reading, writing and listing do
/// not check permissions because the caller is expected to have called [#access] when it opened the
/// file.
///
/// **Durability.** A change is visible in memory when its method returns, and it is durable after
/// [#sync] or [#awaitStable] has returned. If [#atomicGroups] returns true, then the changes in a
/// [#group] become durable together or not at all.
public interface FileTree extends AutoCloseable {
  int READ = 4;
  int WRITE = 2;
  int EXECUTE = 1;

  /// A flag of [#rename]: the operation fails if the target exists (`RENAME_NOREPLACE`).
  int NO_REPLACE = 1;

  /// A flag of [#rename]: the two names, which must both exist, are exchanged (`RENAME_EXCHANGE`).
  int EXCHANGE = 2;

  /// A flag of [#allocate]: the length of the file is not changed (`FALLOC_FL_KEEP_SIZE`).
  int KEEP_SIZE = 1;

  /// A flag of [#allocate]: a hole is punched (`FALLOC_FL_PUNCH_HOLE`). Requires [#KEEP_SIZE].
  int PUNCH_HOLE = 2;

  /// The result of [#tryLookup], [#tryAccess] and [#tryRead] if the operation would block.
  long WOULD_BLOCK = -1;

  long rootInode();

  TreeStatus status() throws IOException;

  /// Returns the data that is needed in addition to the inode number in order to find a file again
  /// after the tree has been reopened. It is at most 24 bytes long, and it is empty if the number
  /// is sufficient.
  default byte[] locator(long inode) throws IOException {
    return new byte[0];
  }

  /// Makes an inode number valid again if the tree uses [#locator]s and has forgotten the number.
  /// This method is cheap if the number is still valid.
  ///
  /// @throws FsException `ESTALE` if the file no longer exists
  default void recall(long inode, byte[] locator) throws IOException {}

  // ---- queries for a loop's thread: they never wait ---------------------------------------------

  /// Returns the attributes if they are available without waiting for a device or a lock, or null.
  default @Nullable FileAttributes tryAttributes(long inode) {
    return null;
  }

  /// Looks up a name like [#lookup] if the result is available without blocking.
  ///
  /// @return the inode number, 0 if the name does not exist, or [#WOULD_BLOCK]
  default long tryLookup(Caller caller, long directory, byte[] name) throws FsException {
    return WOULD_BLOCK;
  }

  /// Checks access rights like [#access] if the attributes are available without blocking.
  ///
  /// @return the granted subset of the rights, or [#WOULD_BLOCK]
  default long tryAccess(Caller caller, long inode, int rights) {
    return WOULD_BLOCK;
  }

  /// Passes content to a sink like [#slices] if the whole range is in memory.
  ///
  /// @return the number of bytes passed to the sink, or [#WOULD_BLOCK] if none were passed
  default long tryRead(long inode, long position, int count, SliceSink sink) {
    return WOULD_BLOCK;
  }

  // ---- reading ----------------------------------------------------------------------------------

  FileAttributes attributes(long inode) throws IOException;

  /// Returns the inode number of the given name in a directory.
  ///
  /// @throws FsException `ENOENT`, `ENOTDIR`, or `EACCES` if the caller has no permission to search
  ///   the directory
  long lookup(Caller caller, long directory, byte[] name) throws IOException;

  /// Looks up a name and returns the attributes of its file. The result is consistent even if the
  /// name is concurrently assigned to another file and the inode number is reused.
  ///
  /// @throws FsException like [#lookup], or `EAGAIN` if the name keeps changing
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
      // A file loses its name before its number is reused. Therefore the name belonged to the file
      // that had the number both before and after the lookup. Comparing only the numbers is not
      // sufficient because the number could belong to a third file.
      if (found != null && found.isFileOf(before)) {
        return found;
      }
      before = found;
    }
    throw FsException.of(Errno.EAGAIN, "a name in directory " + directory + " changes hands");
  }

  /// Returns the subset of the requested rights that is granted to the caller.
  ///
  /// @param rights a combination of [#READ], [#WRITE] and [#EXECUTE], which means search for a
  ///   directory
  /// @return the granted rights
  int access(Caller caller, long inode, int rights) throws IOException;

  /// Returns the target of a symbolic link.
  byte[] readLink(long inode) throws IOException;

  /// Reads content into memory.
  ///
  /// @return the number of bytes read, which is less than `count` only at the end of the file
  int read(long inode, long position, Memory into, long at, int count) throws IOException;

  /// Passes content, including holes, to a sink without copying it.
  ///
  /// @return the number of bytes passed, which is less than `count` only at the end of the file
  int slices(long inode, long position, int count, SliceSink sink) throws IOException;

  /// Returns the start of the next hole or data at or after the given position (`lseek(2)`).
  ///
  /// @throws FsException `ENXIO` if the position is beyond the end of the file
  long seek(long inode, long position, boolean hole) throws IOException;

  /// Lists the entries of a directory, including `.` and `..`.
  ///
  /// @param cookie 0 to start at the beginning, or the cookie of the last entry that was received;
  ///   a cookie remains valid while entries are added and removed, and every entry that exists
  ///   during the whole listing is listed exactly once
  /// @return true if the end of the directory was reached
  boolean list(long directory, long cookie, DirectorySink sink) throws IOException;

  // ---- changing ---------------------------------------------------------------------------------

  /// Creates a file with the given name. Fails with `EEXIST` if the name exists.
  ///
  /// @return the inode number of the new file
  long create(Caller caller, long directory, byte[] name, NewFile what) throws IOException;

  void link(Caller caller, long inode, long directory, byte[] name) throws IOException;

  /// Removes a name of a file that is not a directory. The file continues to exist while it is
  /// retained by [#retain].
  void unlink(Caller caller, long directory, byte[] name) throws IOException;

  void rmdir(Caller caller, long directory, byte[] name) throws IOException;

  /// Renames a file, like `renameat2(2)`.
  ///
  /// @param flags 0, [#NO_REPLACE] or [#EXCHANGE]
  void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException;

  /// Changes attributes, like `chmod`, `chown`, `truncate` and `utimensat`. The changes are applied
  /// in a single step, and if the operation fails, no attribute is changed.
  void setAttributes(Caller caller, long inode, AttributeChange change) throws IOException;

  /// Writes content. Clears the set-user-id and set-group-id bits in the same way as `write(2)`.
  ///
  /// @return the number of bytes written, which is less than `count` only if no space is left
  int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws IOException;

  /// Allocates space or punches a hole, like `fallocate(2)`.
  ///
  /// @param flags 0, [#KEEP_SIZE], or both flags
  /// @throws FsException `EOPNOTSUPP` if the range includes blocks beyond the end of the file and
  ///   the tree cannot represent them, which is the case for ext2
  void allocate(Caller caller, long inode, int flags, long position, long length)
      throws IOException;

  // ---- extended attributes: names with their prefix, such as user.colour ------------------------

  /// Returns the value of an extended attribute.
  ///
  /// @throws FsException `ENODATA` if the attribute does not exist, or `EOPNOTSUPP` if the tree
  ///   does not support the attribute
  byte[] extendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// Sets the value of an extended attribute.
  ///
  /// @param flags 0, 1 (`XATTR_CREATE`) or 2 (`XATTR_REPLACE`)
  void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws IOException;

  void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws IOException;

  /// Returns the names of all extended attributes, each terminated by NUL, like `listxattr(2)`.
  byte[] extendedAttributes(Caller caller, long inode) throws IOException;

  // ---- life and durability ----------------------------------------------------------------------

  /// Prevents a file from being deleted when it loses its last name, until [#release] has been
  /// called the same number of times.
  void retain(long inode) throws IOException;

  void release(long inode) throws IOException;

  /// Makes the changes to a file durable, like `fsync(2)` or `fdatasync(2)`.
  void sync(long inode, boolean dataOnly) throws IOException;

  /// Makes all changes durable.
  void sync() throws IOException;

  /// Makes all changes durable and empties the log. Afterwards all changes are stored at their
  /// final locations, so that programs that do not support the log can read them.
  default void settle() throws IOException {
    sync();
  }

  /// Returns true if a [#group] is atomic, even if the system crashes.
  boolean atomicGroups();

  /// Returns true if files can be changed only through this object. If a caller also prevents
  /// concurrent changes to a file, then any difference between two reads was caused by the change
  /// that the caller made between them.
  default boolean changesOnlyHere() {
    return false;
  }

  /// Returns true if writes of content take part in the order of changes, so that a [#stablePoint]
  /// that was obtained after a write covers that write. Otherwise, only [#sync(long, boolean)]
  /// makes content durable.
  default boolean ordersContent() {
    return false;
  }

  /// Returns a counter that increases when freed space becomes available. If the tree has a
  /// journal, this happens when the change that freed the space has become durable.
  default long spaceFreed() {
    return 0;
  }

  /// Waits until space that has been freed becomes available. This method is intended for use after
  /// a change in a [#group] has failed with `ENOSPC`, because changes outside of a group wait
  /// automatically. It must not be called in a group.
  ///
  /// Callers should limit the number of attempts with [SpaceWait].
  ///
  /// @param seen the value of [#spaceFreed] before the change was attempted
  /// @return true if the change may now succeed
  default boolean awaitSpace(long seen) throws IOException {
    return false;
  }

  /// Opens a group of all changes that this thread makes until the group is closed. A group should
  /// be small. A change that would exceed the maximum size of a transaction fails with `E2BIG`. In
  /// this case all earlier changes, including the completed part of a long write or truncation,
  /// remain in the group. Removing a file is always a small change because the space of a large
  /// file is freed after the group has been closed.
  Group group() throws IOException;

  /// Returns the current point in the order of changes, which follows all completed changes. For
  /// changes to content, see [#ordersContent].
  long stablePoint();

  /// Waits until all changes before the given point are durable.
  void awaitStable(long point) throws IOException;

  /// Notifies the listener when all changes before the given point are durable, or when it is known
  /// that they never will be. If the result is already known, the listener is invoked immediately.
  /// Otherwise it is invoked by a thread of the tree, which it must not block.
  void whenStable(long point, StableListener then);

  @Override
  void close() throws IOException;

  /// A group of changes that ends when it is closed. A group is confined to the thread that opened
  /// it.
  interface Group extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /// A listener that is notified when changes have become durable.
  @FunctionalInterface
  interface StableListener {
    /// Notifies the listener.
    ///
    /// @param failure null if the changes are durable, or the reason why they are not
    void stable(@Nullable IOException failure);
  }
}
