package sluice.http.files;

import sluice.http.site.SitePath;

/// What [WatchTable] needs of inotify. The kernel is one implementation, tests bring another.
///
/// Any thread may [#read]; the table calls [#add] and [#remove] under its lock, and the rest
/// without.
interface WatchSource extends AutoCloseable {
  int IN_MODIFY = 0x2;
  int IN_ATTRIB = 0x4;
  int IN_MOVED_FROM = 0x40;
  int IN_MOVED_TO = 0x80;
  int IN_CREATE = 0x100;
  int IN_DELETE = 0x200;
  int IN_DELETE_SELF = 0x400;
  int IN_MOVE_SELF = 0x800;
  int IN_UNMOUNT = 0x2000;
  int IN_Q_OVERFLOW = 0x4000;
  int IN_IGNORED = 0x8000;

  /// Events that name an entry of a directory, or concern the directory itself. `IN_MODIFY` is left
  /// to the watches on files: a log that grows in a served directory costs nothing then.
  int DIRECTORY_MASK =
      IN_CREATE
          | IN_DELETE
          | IN_MOVED_FROM
          | IN_MOVED_TO
          | IN_ATTRIB
          | IN_DELETE_SELF
          | IN_MOVE_SELF;

  /// Events of one file, by whichever of its names it was changed.
  int FILE_MASK = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Receives events in the order they happened.
  @FunctionalInterface
  interface Sink {
    /// @param wd the watch; -1 with [#IN_Q_OVERFLOW]
    /// @param name holds the name of the entry, valid during the call
    /// @param length of the name in bytes, 0 when the watched object itself changed
    void event(int wd, int mask, byte[] name, int from, int length);
  }

  /// Events that decide where a path leads.
  int ABOVE_MASK =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Watches directories outside the root.
  @FunctionalInterface
  interface Above {
    /// Adds a watch on a directory, for one name in it.
    ///
    /// @param fd the directory, which stays the caller's
    /// @param name that the way to the root leads through
    void watch(int fd, byte[] name);
  }

  /// Says where events go, before the first watch is added.
  void deliverTo(Sink sink);

  /// Opens the root anew by its configured path, so that [#openDirectory] and the [SiteFiles] that
  /// go with this source use what the path leads to now. Watches every directory on the way, and
  /// the way of every symbolic link in it, first. Where the path leads nowhere, so does every path
  /// beneath it, until the next call. May wait for the disk: the table calls it without its lock.
  ///
  /// @return 0, or a negated errno when there was no descriptor for all of it: to be called again,
  ///   and until then nothing is watched reliably
  int openRoot(Above above);

  /// Opens a directory for watching, following no symbolic link anywhere.
  ///
  /// @return a descriptor, or `-ELOOP` for a link in the path, `-ENOTDIR`, `-ENOENT` or another
  ///   negated errno
  int openDirectory(SitePath directory);

  void closeDirectory(int fd);

  /// Whether inotify reports every change on the file system that `fd` is on.
  boolean sees(int fd);

  /// Watches what `fd` refers to. One object has one watch, however often it is added.
  ///
  /// @return the watch, or a negated errno: `-ENOSPC` when the kernel gives no more
  int add(int fd, int mask);

  /// Ends a watch; unknown ones are ignored. Events already queued still arrive.
  void remove(int wd);

  /// Delivers all events queued now, those that are delivered by another thread included. Without
  /// any, this is one system call and no lock.
  ///
  /// @return number of events, or a negated errno
  int read();

  /// The queue that [#read] reads: what one read of it delivers, it delivers for all sources that
  /// have the same one.
  default Object queue() {
    return this;
  }

  @Override
  void close();
}
