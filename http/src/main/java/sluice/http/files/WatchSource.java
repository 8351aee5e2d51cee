package sluice.http.files;

import sluice.http.site.SitePath;

/// The part of inotify that [WatchTable] requires. Tests use an implementation other than the
/// kernel's.
///
/// Any thread may call [#read]. The table calls [#add] and [#remove] while holding its lock, and
/// the other methods without holding it.
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

  /// The events for entries of a directory and for the directory itself. `IN_MODIFY` is only
  /// included in the mask for files, so that a growing log in a served directory causes no events.
  int DIRECTORY_MASK =
      IN_CREATE
          | IN_DELETE
          | IN_MOVED_FROM
          | IN_MOVED_TO
          | IN_ATTRIB
          | IN_DELETE_SELF
          | IN_MOVE_SELF;

  /// The events for a file, under any of its names.
  int FILE_MASK = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Receives events in the order in which they happened.
  @FunctionalInterface
  interface Sink {
    /// Receives an event.
    ///
    /// @param wd the watch, or -1 with [#IN_Q_OVERFLOW]
    /// @param name contains the name of the entry, which is valid during the call
    /// @param length the length of the name in bytes, or 0 if the watched object itself has changed
    void event(int wd, int mask, byte[] name, int from, int length);
  }

  /// The events that may change the directory to which a path leads.
  int ABOVE_MASK =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

  /// Watches directories outside of the root.
  @FunctionalInterface
  interface Above {
    /// Adds a watch on a directory for one name in it.
    ///
    /// @param fd the directory, which is closed by the caller
    /// @param name the name in the directory that is a component of the root's path
    void watch(int fd, byte[] name);
  }

  /// Sets the receiver of events. This method is called before the first watch is added.
  void deliverTo(Sink sink);

  /// Reopens the root by its configured path, so that [#openDirectory] and the [SiteFiles] that
  /// belong to this source use the directory that the path currently refers to. Every directory
  /// along the path, and along the path of every symbolic link in it, is watched first. If the path
  /// refers to no directory, every path beneath it fails until the next call. Since this method may
  /// block on the disk, the table calls it without holding its lock.
  ///
  /// @return 0, or a negated errno if there were not enough descriptors, in which case nothing is
  ///   watched reliably until this method is called again
  int openRoot(Above above);

  /// Opens a directory for watching without following any symbolic links.
  ///
  /// @return a descriptor, `-ELOOP` if the path contains a link, `-ENOTDIR`, `-ENOENT`, or another
  ///   negated errno
  int openDirectory(SitePath directory);

  void closeDirectory(int fd);

  /// Returns true if inotify reports every change to the file system of `fd`.
  boolean sees(int fd);

  /// Watches the object that `fd` refers to. An object has a single watch even if it is added
  /// repeatedly.
  ///
  /// @return the watch, or a negated errno, which is `-ENOSPC` if the limit of watches has been
  ///   reached
  int add(int fd, int mask);

  /// Removes a watch. Unknown numbers are ignored. Events that are already queued are still
  /// delivered.
  void remove(int wd);

  /// Delivers all queued events, including those that another thread is currently delivering. If
  /// there are no events, this requires one system call and no lock.
  ///
  /// @return the number of events, or a negated errno
  int read();

  /// Returns the queue that [#read] reads. A single read delivers the events of all sources that
  /// share the queue.
  default Object queue() {
    return this;
  }

  @Override
  void close();
}
