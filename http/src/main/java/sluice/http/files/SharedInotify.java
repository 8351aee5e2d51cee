package sluice.http.files;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Inotify;
import sluice.sys.SysException;

/// The inotify instance of the process, with a table that maps its watches to instances of
/// [WatchInotify]. There is a single watch per directory or file regardless of the number of sites
/// and loops that request it. Any thread may call.
///
/// **Reading.** All loops read the same queue. If a loop finds it empty, it may only continue if no
/// event that was read earlier is still being delivered to the tables. A reader therefore sets
/// `delivering` *before* it reads, and clears it after all events have been delivered. The check
/// requires one system call and one volatile read. A loop only acquires the lock if it finds
/// events, or while another loop is delivering some.
///
/// ```
///  reader:  delivering = true ── read(2) ── tickets fall ── delivering = false
///  loop:       read(2) finds nothing ── delivering? ──no──▶ go on
///                                            └──yes──▶ wait for the lock
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open | any | under the class | under the class |
/// | delivering | holder of `reading` | volatile | volatile |
/// | name | holder of `reading` | plain | plain |
/// | buckets, watches, sources, count | any | under this object's lock | the same |
///
/// Lock order: `reading`, then the lock of a [WatchedRoot], then this object's.
///
/// Limits: all sites share one queue in the kernel (`fs.inotify.max_queued_events`). If it
/// overflows, everything that the sites have cached is invalidated.
final class SharedInotify {
  /// If a read into a buffer of 64 KiB returns fewer bytes than this, it has returned all queued
  /// events.
  private static final int NEARLY_FULL_BYTES = 60 << 10;

  private static final int NAME_BYTES = 256;

  private static @Nullable SharedInotify open;

  /// A watch and the sources that receive its events, which are the first `count` elements of
  /// `sources`. Since these elements never change, a reader may iterate over them without holding
  /// the lock.
  private static final class Watch {
    final int wd;
    final @Nullable Watch next;
    WatchInotify[] sources = new WatchInotify[1];
    int count;

    Watch(int wd, @Nullable Watch next) {
      this.wd = wd;
      this.next = next;
    }
  }

  private final Inotify inotify;
  private final ReentrantLock reading = new ReentrantLock();
  private final byte[] name = new byte[NAME_BYTES];
  private volatile boolean delivering;

  private @Nullable Watch[] buckets = new Watch[64];
  private int watches;

  /// Contains all sources, which receive events that concern the queue itself.
  private final Watch all = new Watch(-1, null);

  private SharedInotify() throws SysException {
    inotify = Inotify.open();
  }

  /// Returns the instance of the process. It is opened for the first source and closed with the
  /// last one.
  ///
  /// @throws SysException `EMFILE` if the user's limit of inotify instances has been reached
  static synchronized SharedInotify lease(WatchInotify source) throws SysException {
    SharedInotify shared = open;
    if (shared == null) {
      shared = new SharedInotify();
      open = shared;
    }
    synchronized (shared) {
      add(shared.all, source);
    }
    return shared;
  }

  /// Removes a source. The instance is closed when the last source is removed. Idempotent.
  void release(WatchInotify source) {
    synchronized (SharedInotify.class) {
      if (leaves(source) && open == this) {
        open = null;
        inotify.close();
      }
    }
  }

  /// @return true if it was the last source
  private synchronized boolean leaves(WatchInotify source) {
    remove(all, source);
    return all.count == 0;
  }

  /// Adds a watch for one source; see [WatchSource#add].
  synchronized int add(WatchInotify source, int fd, int mask) {
    int wd = inotify.addWatch(fd, mask | Inotify.IN_MASK_ADD);
    if (wd >= 0) {
      Watch watch = find(wd);
      add(watch == null ? insert(wd) : watch, source);
    }
    return wd;
  }

  /// Removes a watch for one source. It is removed from the kernel when no source uses it any more.
  /// See [WatchSource#remove].
  synchronized void remove(WatchInotify source, int wd) {
    Watch watch = find(wd);
    if (watch != null) {
      remove(watch, source);
      if (watch.count == 0) {
        delete(wd);
        inotify.removeWatch(wd);
      }
    }
  }

  private static void add(Watch watch, WatchInotify source) {
    for (int i = 0; i < watch.count; i++) {
      if (watch.sources[i] == source) {
        return;
      }
    }
    if (watch.count == watch.sources.length) {
      watch.sources = Arrays.copyOf(watch.sources, 2 * watch.count);
    }
    watch.sources[watch.count++] = source;
  }

  private static void remove(Watch watch, WatchInotify source) {
    for (int i = 0; i < watch.count; i++) {
      if (watch.sources[i] == source) {
        WatchInotify[] left = new WatchInotify[Math.max(1, watch.count - 1)];
        System.arraycopy(watch.sources, 0, left, 0, i);
        System.arraycopy(watch.sources, i + 1, left, i, watch.count - i - 1);
        watch.sources = left;
        watch.count--;
        return;
      }
    }
  }

  // ---- reading ------------------------------------------------------------------------------

  /// Reads and delivers the events of all sources; see [WatchSource#read].
  int read() {
    if (inotify.peek() == -Errno.EAGAIN && !delivering) {
      return 0;
    }
    reading.lock();
    try {
      delivering = true;
      return deliverAll();
    } finally {
      delivering = false;
      reading.unlock();
    }
  }

  private int deliverAll() {
    int delivered = 0;
    int bytes;
    do {
      bytes = inotify.read();
      if (bytes == -Errno.EAGAIN) {
        return delivered;
      }
      if (bytes < 0 && bytes != -Errno.EINTR) {
        return bytes;
      }
      while (inotify.next()) {
        deliver();
        delivered++;
      }
    } while (bytes >= NEARLY_FULL_BYTES || bytes == -Errno.EINTR);
    return delivered;
  }

  private void deliver() {
    int length = Math.min(inotify.nameLength(), NAME_BYTES);
    for (int i = 0; i < length; i++) {
      name[i] = inotify.nameByte(i);
    }
    int wd = inotify.watch();
    int mask = inotify.mask();
    WatchInotify[] sources;
    int count;
    synchronized (this) {
      Watch watch = (mask & Inotify.IN_Q_OVERFLOW) != 0 ? all : find(wd);
      if (watch == null) {
        return; // its last source has removed it
      }
      sources = watch.sources;
      count = watch.count;
    }
    for (int i = 0; i < count; i++) {
      sources[i].deliver(wd, mask, name, length);
    }
    if ((mask & Inotify.IN_IGNORED) != 0) {
      synchronized (this) {
        delete(wd);
      }
    }
  }

  // ---- watches by number --------------------------------------------------------------------

  private @Nullable Watch find(int wd) {
    Watch at = buckets[slot(wd)];
    while (at != null && at.wd != wd) {
      at = at.next;
    }
    return at;
  }

  private Watch insert(int wd) {
    if (watches == buckets.length) {
      grow();
    }
    watches++;
    Watch made = new Watch(wd, buckets[slot(wd)]);
    buckets[slot(wd)] = made;
    return made;
  }

  private void delete(int wd) {
    Watch head = buckets[slot(wd)];
    buckets[slot(wd)] = null;
    for (Watch at = head; at != null; at = at.next) {
      if (at.wd == wd) {
        watches--;
      } else {
        push(at);
      }
    }
  }

  private void grow() {
    @Nullable Watch[] old = buckets;
    buckets = new Watch[2 * old.length];
    for (Watch head : old) {
      for (Watch at = head; at != null; at = at.next) {
        push(at);
      }
    }
  }

  private void push(Watch watch) {
    Watch moved = new Watch(watch.wd, buckets[slot(watch.wd)]);
    moved.sources = watch.sources;
    moved.count = watch.count;
    buckets[slot(watch.wd)] = moved;
  }

  private int slot(int wd) {
    return wd & (buckets.length - 1);
  }
}
