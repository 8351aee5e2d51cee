package sluice.fs.provider;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/// The locks of a single file. This class is thread-safe.
///
/// Locks are held on behalf of the entire JVM, and no other process can open the image for writing.
/// Therefore an overlapping lock is always held by this JVM, in which case `java.nio` requires an
/// exception instead of waiting.
final class FileLocks {
  private final List<Lock> held = new ArrayList<>();

  private final class Lock extends FileLock {
    private boolean released;

    Lock(FileChannel channel, long position, long size, boolean shared) {
      super(channel, position, size, shared);
    }

    @Override
    public boolean isValid() {
      synchronized (held) {
        return !released && acquiredBy().isOpen();
      }
    }

    @Override
    public void release() throws IOException {
      if (!acquiredBy().isOpen()) {
        throw new ClosedChannelException();
      }
      synchronized (held) {
        released = true;
        held.remove(this);
      }
    }
  }

  /// Acquires a lock.
  ///
  /// @throws OverlappingFileLockException if any part of the range is already locked
  FileLock lock(FileChannel channel, long position, long size, boolean shared) {
    Lock wanted = new Lock(channel, position, size, shared);
    synchronized (held) {
      for (Lock lock : held) {
        if (lock.overlaps(position, size)) {
          throw new OverlappingFileLockException();
        }
      }
      held.add(wanted);
    }
    return wanted;
  }

  /// Releases all locks of a channel that is being closed.
  void releaseAll(FileChannel channel) {
    synchronized (held) {
      for (Lock lock : held) {
        lock.released |= lock.acquiredBy() == channel;
      }
      held.removeIf(lock -> lock.released);
    }
  }
}
