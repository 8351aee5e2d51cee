package sluice.fs.ext2;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.layout.Names;

/// A cache of directory entries, including negative entries, that can be read without acquiring a
/// lock. Any thread may look up names. A thread that adds an entry must hold the lock of the
/// directory, and must hold the write lock if it changes the directory.
///
/// The cache has a fixed number of slots, and each name has two candidate slots. If an entry is
/// evicted, it is read from the directory again when it is needed.
final class DentryCache {
  /// The result of a lookup for a name that is not cached.
  static final long UNKNOWN = -1;

  private final Names names;
  private final AtomicReferenceArray<@Nullable Dentry> places;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Dentry(long directory, byte[] name, int hash, long inode) {
    boolean matches(int otherHash, long otherDirectory, byte[] otherName) {
      return hash == otherHash && directory == otherDirectory && Arrays.equals(name, otherName);
    }
  }

  /// Creates an empty cache.
  ///
  /// @param count the number of slots, which must be a power of two
  DentryCache(Names names, int count) {
    this.names = names;
    places = new AtomicReferenceArray<>(count);
  }

  /// Looks up a name in a directory.
  ///
  /// @return the inode number, 0 if the name does not exist, or [#UNKNOWN] if it is not cached
  long find(long directory, byte[] name) {
    int hash = names.hash(directory, name);
    int place = hash & (places.length() - 1);
    Dentry first = places.get(place);
    if (first != null && first.matches(hash, directory, name)) {
      return first.inode;
    }
    Dentry second = places.get(place ^ 1);
    return second != null && second.matches(hash, directory, name) ? second.inode : UNKNOWN;
  }

  /// Caches the result of a lookup.
  ///
  /// @param inode the inode number, or 0 if the name does not exist
  void put(long directory, byte[] name, long inode) {
    int hash = names.hash(directory, name);
    int place = hash & (places.length() - 1);
    Dentry first = places.get(place);
    Dentry second = places.get(place ^ 1);
    Dentry dentry = new Dentry(directory, name, hash, inode);
    boolean inFirst = first != null && first.matches(hash, directory, name);
    boolean inSecond = second != null && second.matches(hash, directory, name);
    // An entry is never moved to its other slot because the move could restore an entry that is
    // concurrently being replaced by another thread.
    if (inFirst || (!inSecond && (first == null || (second != null && hash < 0)))) {
      places.set(place, dentry);
    }
    if (inSecond || (!inFirst && first != null && (second == null || hash >= 0))) {
      places.set(place ^ 1, dentry);
    }
  }
}
