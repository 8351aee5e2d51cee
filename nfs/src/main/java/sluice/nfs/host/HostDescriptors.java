package sluice.nfs.host;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.sys.FileHandles;
import sluice.sys.Files;

/// A cache of open descriptors of host files, which allows most requests to be handled without
/// opening a file. This class is thread-safe. Its lock is held while a file is being opened but not
/// while it is used.
///
/// A descriptor that has been unused for [#IDLE_SECONDS] is closed by the next call. When the last
/// name of a file is removed through this tree, its descriptors are closed immediately, because the
/// blocks of an open file are not freed.
final class HostDescriptors implements AutoCloseable {
  static final int IDLE_SECONDS = 5;

  /// The purpose of a descriptor.
  enum Kind {
    /// A descriptor that only allows access to names and attributes.
    PATH(Files.O_PATH | Files.O_NOFOLLOW),
    READ(Files.O_RDONLY | Files.O_NONBLOCK | Files.O_NOCTTY),
    WRITE(Files.O_WRONLY | Files.O_NONBLOCK | Files.O_NOCTTY);

    final int flags;

    Kind(int flags) {
      this.flags = flags;
    }
  }

  private record Key(long inode, Kind kind) {}

  /// An open descriptor, which [#close] returns to the cache.
  final class Open implements AutoCloseable {
    final HostFile file;
    final int fd;
    private int users;
    private boolean dropped;
    private long usedAt;

    private Open(HostFile file, int fd) {
      this.file = file;
      this.fd = fd;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        users--;
        usedAt = System.nanoTime();
        if (dropped && users == 0) {
          Files.close(fd);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<Key, Open> open = new LinkedHashMap<>(64, 0.75f, true);
  private final int mount;
  private final int limit;
  private boolean closed;

  /// Creates an empty cache.
  ///
  /// @param mount the descriptor of the exported directory, which is closed by [#close]
  /// @param limit the maximum number of cached descriptors; additional descriptors are closed as
  ///   soon as they are no longer in use
  HostDescriptors(int mount, int limit) {
    this.mount = mount;
    this.limit = limit;
  }

  /// Returns the cached descriptor of a file, and opens the file if it is not cached.
  ///
  /// @throws FsException `ESTALE` if the file was removed
  Open open(HostFile file, Kind kind) throws FsException {
    lock.lock();
    try {
      if (closed) {
        throw FsException.of(Errno.EBADF, "the tree is closed");
      }
      Key key = new Key(file.inode, kind);
      Open known = open.get(key);
      if (known != null && known.file != file) {
        drop(open.remove(key)); // the inode number was reused
        known = null;
      }
      if (known == null) {
        int fd = FileHandles.open(mount, file.handle, kind.flags);
        HostCalls.check(fd, "open_by_handle_at " + file);
        known = new Open(file, fd);
        open.put(key, known);
      }
      known.users++;
      trim();
      return known;
    } finally {
      lock.unlock();
    }
  }

  /// Opens a descriptor that is not cached. The caller must close it.
  int openOwn(HostFile file, int flags) throws FsException {
    lock.lock();
    try {
      int fd = closed ? -Errno.EBADF : FileHandles.open(mount, file.handle, flags);
      return (int) HostCalls.check(fd, "open_by_handle_at " + file);
    } finally {
      lock.unlock();
    }
  }

  private void trim() {
    long now = System.nanoTime();
    Iterator<Open> eldest = open.values().iterator();
    while (eldest.hasNext()) {
      Open one = eldest.next();
      boolean idle =
          one.users == 0
              && one.file.retained == 0
              && now - one.usedAt > TimeUnit.SECONDS.toNanos(IDLE_SECONDS);
      if (!idle && open.size() <= limit) {
        return;
      }
      if (one.users == 0 && one.file.retained == 0) {
        eldest.remove();
        Files.close(one.fd);
      }
    }
  }

  /// Closes the descriptors of a file that has no names left, unless the file is retained.
  void forget(HostFile file) {
    lock.lock();
    try {
      if (file.retained == 0) {
        for (Kind kind : Kind.values()) {
          drop(open.remove(new Key(file.inode, kind)));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static void drop(@Nullable Open one) {
    if (one != null) {
      one.dropped = true;
      if (one.users == 0) {
        Files.close(one.fd);
      }
    }
  }

  /// Retains a file, so that its descriptor stays open and its content exists even if its last name
  /// is removed.
  void retain(HostFile file) throws FsException {
    try (Open held = open(file, Kind.PATH)) {
      lock.lock();
      try {
        held.file.retained++;
      } finally {
        lock.unlock();
      }
    }
  }

  /// Reverts one call of [#retain].
  ///
  /// @return true if the file is no longer retained
  boolean release(HostFile file) {
    lock.lock();
    try {
      if (file.retained == 0) {
        throw new IllegalStateException(file + " is not retained");
      }
      return --file.retained == 0;
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return open.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        open.values().forEach(HostDescriptors::drop);
        open.clear();
        Files.close(mount);
      }
    } finally {
      lock.unlock();
    }
  }
}
