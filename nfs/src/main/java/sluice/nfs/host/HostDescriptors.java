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

/// Open descriptors of a host's files, so that a request need not open its file again. Any thread
/// may use it; the lock is held over the opening of a file, never over its use.
///
/// A descriptor not used for [#IDLE_SECONDS] is closed at the next call, and one whose last name is
/// removed through us at once, because an open file keeps its blocks.
final class HostDescriptors implements AutoCloseable {
  static final int IDLE_SECONDS = 5;

  /// What a descriptor is for.
  enum Kind {
    /// Names and attributes only.
    PATH(Files.O_PATH | Files.O_NOFOLLOW),
    READ(Files.O_RDONLY | Files.O_NONBLOCK | Files.O_NOCTTY),
    WRITE(Files.O_WRONLY | Files.O_NONBLOCK | Files.O_NOCTTY);

    final int flags;

    Kind(int flags) {
      this.flags = flags;
    }
  }

  private record Key(long inode, Kind kind) {}

  /// An open file; [#close] gives it back.
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

  /// @param mount descriptor of the directory, closed with this
  /// @param limit descriptors that are kept, at most; more are open while more are used
  HostDescriptors(int mount, int limit) {
    this.mount = mount;
    this.limit = limit;
  }

  /// Opens a file, or finds it open.
  ///
  /// @throws FsException `ESTALE` when it is gone
  Open open(HostFile file, Kind kind) throws FsException {
    lock.lock();
    try {
      if (closed) {
        throw FsException.of(Errno.EBADF, "the tree is closed");
      }
      Key key = new Key(file.inode, kind);
      Open known = open.get(key);
      if (known != null && known.file != file) {
        drop(open.remove(key)); // the number names another file now
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

  /// Opens a file for the caller alone, which closes it.
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

  /// Closes what is open of a file that has lost its last name, unless it is retained.
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

  /// A file that is retained keeps a descriptor, and with it its content.
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

  /// @return whether it is not retained any more
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
