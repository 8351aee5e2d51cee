package sluice.http.files;

import sluice.http.site.SitePath;

/// The part of inotify that [WatchTable] needs. The kernel is one implementation; tests have
/// another.
///
/// Any thread may call [#read]. The table calls [#add] and [#remove] under its lock, and the other
/// methods without it.
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
  /// to the watches on files, so that a log that grows in a served directory costs nothing.
  int DIRECTORY_MASK =
      IN_CREATE
          | IN_DELETE
          | IN_MOVED_FROM
          | IN_MOVED_TO
          | IN_ATTRIB
          | IN_DELETE_SELF
          | IN_MOVE_SELF;

  /// Events of one file, under any of its names.
  int FILE_MASK = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Receives events in the order in which they happened.
  @FunctionalInterface
  interface Sink {
    /// Receives one event.
    ///
    /// @param wd the watch; -1 with [#IN_Q_OVERFLOW]
    /// @param name holds the name of the entry, valid during the call
    /// @param length the length of the name in bytes, 0 if the watched object itself changed
    void event(int wd, int mask, byte[] name, int from, int length);
  }

  /// Events that may change where a path leads.
  int ABOVE_MASK =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Watches directories outside of the root.
  @FunctionalInterface
  interface Above {
    /// Adds a watch on a directory, for one name in it.
    ///
    /// @param fd the directory; the caller closes it
    /// @param name the name through which the way to the root leads
    void watch(int fd, byte[] name);
  }

  /// Sets the receiver of events, before the first watch is added.
  void deliverTo(Sink sink);

  /// Reopens the root by its configured path, so that [#openDirectory] and the [SiteFiles] that
  /// belong to this source use the directory that the path leads to now. First watches every
  /// directory on the way, and the way of every symbolic link in it. Where the path leads to no
  /// directory, every path beneath it fails until the next call. May wait for the disk: the table
  /// calls it without its lock.
  ///
  /// @return 0, or a negated errno if there were not enough descriptors: the method has to be
  ///   called again, and until then nothing is watched reliably
  int openRoot(Above above);

  /// Opens a directory for watching, following no symbolic link anywhere.
  ///
  /// @return a descriptor, or `-ELOOP` for a link in the path, `-ENOTDIR`, `-ENOENT` or another
  ///   negated errno
  int openDirectory(SitePath directory);

  void closeDirectory(int fd);

  /// Returns true if inotify reports every change on the file system of `fd`.
  boolean sees(int fd);

  /// Watches the object that `fd` refers to. An object has one watch, however often it is added.
  ///
  /// @return the watch, or a negated errno: `-ENOSPC` if the kernel has no more watches
  int add(int fd, int mask);

  /// Ends a watch; unknown numbers are ignored. Events that are queued already still arrive.
  void remove(int wd);

  /// Delivers all events queued now, including those that another thread is delivering. Without
  /// events this is one system call and no lock.
  ///
  /// @return the number of events, or a negated errno
  int read();

  /// Returns the queue that [#read] reads. One read delivers the events of all sources that share
  /// the queue.
  default Object queue() {
    return this;
  }

  @Override
  void close();
}
