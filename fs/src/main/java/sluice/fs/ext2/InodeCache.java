package sluice.fs.ext2;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// A bounded cache of inodes that contains a single object for each file and can be read without
/// acquiring a lock. This class is thread-safe.
///
/// Cached inodes are never dirty because each operation stores its changes. Therefore any inode
/// that is not retained can be evicted. After a thread has found and locked an inode, it must test
/// [Inode#gone].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | buckets, Inode.next | holder of the bucket's lock | volatile | volatile |
/// | hand | the sweeping thread | volatile | getAndIncrement |
final class InodeCache {
  private static final VarHandle BUCKET = MethodHandles.arrayElementVarHandle(Inode[].class);
  private static final int LOCKS = 64;

  private final Geometry geometry;
  private final InodeTable table;
  private final @Nullable Inode[] buckets;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger hand = new AtomicInteger();
  private final int capacity;

  /// Creates an empty cache.
  ///
  /// @param capacity the maximum number of inodes, which is exceeded only while more inodes are in
  ///   use
  InodeCache(Geometry geometry, InodeTable table, int capacity) {
    this.geometry = geometry;
    this.table = table;
    this.capacity = capacity;
    buckets = new @Nullable Inode[Math.max(LOCKS, Integer.highestOneBit(capacity))];
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /// Returns the inode if it is in memory, or null.
  @Nullable Inode find(long number) {
    Inode inode = first(bucket(number));
    while (inode != null && inode.number != number) {
      inode = inode.next;
    }
    if (inode != null && !inode.used) {
      inode.used = true;
    }
    return inode;
  }

  /// Returns the inode, and reads it from the device if it is not in memory.
  ///
  /// @throws FsException `ESTALE` if the number is not in use
  Inode get(long number) throws IOException {
    Inode inode = find(number);
    return inode != null ? inode : load(number);
  }

  /// Returns the inode and acquires its write lock, which the caller must release with
  /// [Inode#unlock].
  ///
  /// @throws FsException `ESTALE` if the number is not in use
  Inode lockToChange(long number) throws IOException {
    return lockToChange(number, true);
  }

  /// Locks an inode like [#lockToChange] on behalf of a thread that already holds the lock of a
  /// directory. This method never waits for the lock of another directory.
  ///
  /// @throws FsException `EPERM` if the inode is a directory; this includes the case that it became
  ///   a directory after the caller looked it up, because a freed number may be reused immediately
  Inode lockFileToChange(long number) throws IOException {
    return lockToChange(number, false);
  }

  private Inode lockToChange(long number, boolean directories) throws IOException {
    while (true) {
      Inode inode = get(number);
      if (!directories && inode.isDirectory()) { // the kind of an Inode object never changes
        throw FsException.of(Errno.EPERM, "inode " + number + " is a directory");
      }
      inode.lock.writeLock();
      if (!inode.gone && inode.isAlive()) {
        return inode;
      }
      boolean dead = !inode.gone;
      inode.unlock();
      if (dead) {
        throw FsException.of(Errno.ESTALE, "inode " + number + " was removed");
      }
    }
  }

  /// Returns the inode and acquires a read lock, which the caller must release with
  /// [Inode#unlockRead].
  Inode lockToRead(long number) throws IOException {
    while (true) {
      Inode inode = get(number);
      inode.lock.readLock();
      if (!inode.gone && inode.isAlive()) {
        return inode;
      }
      boolean dead = !inode.gone;
      inode.unlockRead();
      if (dead) {
        throw FsException.of(Errno.ESTALE, "inode " + number + " was removed");
      }
    }
  }

  /// Returns the first inode in a bucket. A plain array is used because an `AtomicReferenceArray`
  /// would add an indirection and a cast.
  private @Nullable Inode first(int bucket) {
    return (Inode) BUCKET.getVolatile(buckets, bucket);
  }

  private int bucket(long number) {
    return (int) (number ^ (number >>> 16)) & (buckets.length - 1);
  }

  private Inode load(long number) throws IOException {
    boolean ordinary = number >= geometry.firstInode && number <= geometry.inodes;
    if (!ordinary && number != InodeLayout.ROOT) {
      throw FsException.of(Errno.ESTALE, "there is no inode " + number);
    }
    Inode inode;
    ReentrantLock lock = locks[bucket(number) & (LOCKS - 1)];
    lock.lock();
    try {
      inode = find(number);
      if (inode != null) {
        return inode;
      }
      inode = table.load(number);
      insert(inode);
    } finally {
      lock.unlock();
    }
    sweep();
    return inode;
  }

  /// Adds a new inode. The caller must hold its write lock.
  void add(Inode inode) {
    ReentrantLock lock = locks[bucket(inode.number) & (LOCKS - 1)];
    lock.lock();
    try {
      insert(inode);
    } finally {
      lock.unlock();
    }
  }

  private void insert(Inode inode) {
    int bucket = bucket(inode.number);
    inode.used = true;
    inode.next = first(bucket);
    BUCKET.setVolatile(buckets, bucket, inode);
    count.incrementAndGet();
  }

  /// Removes an inode, after which its number may be reused. The caller must hold its write lock.
  void remove(Inode inode) {
    ReentrantLock lock = locks[bucket(inode.number) & (LOCKS - 1)];
    lock.lock();
    try {
      unlink(inode);
    } finally {
      lock.unlock();
    }
  }

  private void unlink(Inode inode) {
    int bucket = bucket(inode.number);
    Inode before = first(bucket);
    if (before == inode) {
      BUCKET.setVolatile(buckets, bucket, inode.next);
    } else {
      while (before != null && before.next != inode) {
        before = before.next;
      }
      if (before == null) {
        return;
      }
      before.next = inode.next;
    }
    inode.gone = true;
    count.decrementAndGet();
  }

  /// Evicts inodes that have not been used since the last sweep, until the cache is within its
  /// capacity or each bucket has been visited twice.
  private void sweep() {
    for (int i = 0; count.get() > capacity && i < 2 * buckets.length; i++) {
      int bucket = hand.getAndIncrement() & (buckets.length - 1);
      ReentrantLock lock = locks[bucket & (LOCKS - 1)];
      if (first(bucket) != null && lock.tryLock()) {
        try {
          sweepBucket(bucket);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private void sweepBucket(int bucket) {
    for (Inode inode = first(bucket); inode != null; inode = inode.next) {
      if (inode.used) {
        inode.used = false;
        continue;
      }
      long stamp = inode.lock.tryWriteLock();
      if (stamp != 0) {
        if (inode.retains == 0 && inode.links > 0) {
          unlink(inode);
        }
        inode.lock.unlockWrite(stamp);
      }
    }
  }

  /// Returns the number of inodes in this cache.
  int size() {
    return count.get();
  }
}
