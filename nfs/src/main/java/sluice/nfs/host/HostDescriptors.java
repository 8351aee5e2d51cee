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

/// A cache of open descriptors of host files, so that most requests need not open their file.
/// Thread-safe; the lock is held while a file is opened, never while it is used.
///
/// A descriptor that is unused for [#IDLE_SECONDS] is closed at the next call. When the last name
/// of a file is removed through this tree its descriptor is closed at once, because an open file
/// keeps its blocks.
final class HostDescriptors implements AutoCloseable {
  static final int IDLE_SECONDS = 5;

  /// The purpose of a descriptor.
  enum Kind {
    /// A descriptor for names and attributes only.
    PATH(Files.O_PATH | Files.O_NOFOLLOW),
    READ(Files.O_RDONLY | Files.O_NONBLOCK | Files.O_NOCTTY),
    WRITE(Files.O_WRONLY | Files.O_NONBLOCK | Files.O_NOCTTY);

    final int flags;

    Kind(int flags) {
      this.flags = flags;
    }
  }

  private record Key(long inode, Kind kind) {}

  /// An open descriptor; [#close] returns it to the cache.
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
  /// @param mount the descriptor of the exported directory, which [#close] closes
  /// @param limit the maximum number of cached descriptors; more are open only while they are in
  ///   use
  HostDescriptors(int mount, int limit) {
    this.mount = mount;
    this.limit = limit;
  }

  /// Opens a file, or returns its cached descriptor.
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

  /// Opens a descriptor that is not cached. The caller closes it.
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

  /// Closes the descriptors of a file that has lost its last name, unless the file is retained.
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

  /// Retains a file: its descriptor stays open, and its content exists even without a name.
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

  /// Releases a file once.
  ///
  /// @return true if the file is not retained any more
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
