package sluice.fs.ext2;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.layout.Names;

/// A cache of directory entries, including negative ones, so that a lookup takes no lock. Any
/// thread may look up; a thread that puts holds the directory's lock, the write lock when it
/// changes the directory.
///
/// The cache has a fixed number of slots. Each name has two candidate slots; an entry that is
/// displaced is read from the directory again.
final class DentryCache {
  /// The result for a name that is not cached.
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
  /// @param count the number of slots, a power of two
  DentryCache(Names names, int count) {
    this.names = names;
    places = new AtomicReferenceArray<>(count);
  }

  /// Looks up a name.
  ///
  /// @return an inode number, 0 for a name that does not exist, or [#UNKNOWN]
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
  /// @param inode the inode number, 0 for a name that does not exist
  void put(long directory, byte[] name, long inode) {
    int hash = names.hash(directory, name);
    int place = hash & (places.length() - 1);
    Dentry first = places.get(place);
    Dentry second = places.get(place ^ 1);
    Dentry dentry = new Dentry(directory, name, hash, inode);
    boolean inFirst = first != null && first.matches(hash, directory, name);
    boolean inSecond = second != null && second.matches(hash, directory, name);
    // An entry never moves to its other slot: a move could restore an entry that another thread is
    // replacing.
    if (inFirst || (!inSecond && (first == null || (second != null && hash < 0)))) {
      places.set(place, dentry);
    }
    if (inSecond || (!inFirst && first != null && (second == null || hash >= 0))) {
      places.set(place ^ 1, dentry);
    }
  }
}
