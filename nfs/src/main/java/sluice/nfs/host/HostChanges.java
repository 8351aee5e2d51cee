package sluice.nfs.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;

/// The set of files of a host directory whose changes may not be stable yet. This class is
/// thread-safe, and all waiting threads share one round of `fsync(2)`.
///
/// A failed `fsync` is final, because the kernel reports a lost write only once. No change is
/// reported as stable after such a failure.
final class HostChanges {
  /// The number of files above which one `syncfs(2)` is cheaper than an `fsync(2)` per file.
  static final int MANY = 1024;

  private final ReentrantLock set = new ReentrantLock();
  private final ReentrantLock round = new ReentrantLock();
  private final HostDescriptors descriptors;
  private final int root;

  // Guarded by `set`.
  private Set<HostFile> changed = new LinkedHashSet<>();
  private boolean tooMany;
  private long point;

  // Guarded by `round`.
  private long stable;
  private @Nullable FsException failure;
  private int rounds;

  /// Creates an empty set.
  ///
  /// @param root the descriptor of the exported directory
  HostChanges(HostDescriptors descriptors, int root) {
    this.descriptors = descriptors;
    this.root = root;
  }

  void add(HostFile... files) {
    set.lock();
    try {
      point++;
      if (changed.size() >= MANY) {
        tooMany = true;
        return;
      }
      changed.addAll(List.of(files));
    } finally {
      set.unlock();
    }
  }

  /// Records a change of a file that must not be opened for `fsync(2)`, such as a device. The
  /// change is made stable by `syncfs(2)`.
  void addOther() {
    set.lock();
    try {
      point++;
      tooMany = true;
    } finally {
      set.unlock();
    }
  }

  long point() {
    set.lock();
    try {
      return point;
    } finally {
      set.unlock();
    }
  }

  void await(long wanted) throws IOException {
    round.lock();
    try {
      if (failure != null) {
        throw FsException.of(Errno.EIO, "earlier changes were lost: " + failure.getMessage());
      }
      if (stable < wanted) {
        sync();
      }
    } finally {
      round.unlock();
    }
  }

  /// Returns the number of completed rounds.
  int rounds() {
    round.lock();
    try {
      return rounds;
    } finally {
      round.unlock();
    }
  }

  private void sync() throws FsException {
    List<HostFile> files;
    boolean all;
    long upTo;
    set.lock();
    try {
      files = new ArrayList<>(changed);
      changed = new LinkedHashSet<>();
      all = tooMany;
      tooMany = false;
      upTo = point;
    } finally {
      set.unlock();
    }
    try {
      if (all) {
        HostCalls.check(AttributeCalls.syncfs(root), "syncfs");
      } else {
        for (HostFile file : files) {
          sync(file);
        }
      }
      stable = upTo;
      rounds++;
    } catch (FsException e) {
      failure = e;
      throw e;
    }
  }

  private void sync(HostFile file) throws FsException {
    try (HostDescriptors.Open open = descriptors.open(file, HostDescriptors.Kind.READ)) {
      HostCalls.check(AttributeCalls.fsync(open.fd), "fsync " + file);
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) { // the file has been removed
        throw e;
      }
    }
  }
}
