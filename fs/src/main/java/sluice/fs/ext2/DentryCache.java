package sluice.fs.ext2;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.layout.Names;

/// Remembers what names lead to, also to nothing, so that a lookup takes no lock. Any thread may
/// look; a thread that puts holds the directory's lock, for writing where it changes the directory.
///
/// Two places per name, of a fixed number: what is displaced is looked up again.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | places | holder of the lock of the entry's directory | volatile | volatile |
final class DentryCache {
  /// Not remembered.
  static final long UNKNOWN = -1;

  private final Names names;
  private final AtomicReferenceArray<@Nullable Dentry> places;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Dentry(long directory, byte[] name, int hash, long inode) {
    boolean matches(int otherHash, long otherDirectory, byte[] otherName) {
      return hash == otherHash && directory == otherDirectory && Arrays.equals(name, otherName);
    }
  }

  /// @param count places, a power of two
  DentryCache(Names names, int count) {
    this.names = names;
    places = new AtomicReferenceArray<>(count);
  }

  /// @return an inode number, 0 for a name that is not there, or [#UNKNOWN]
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

  /// @param inode 0 for a name that is not there
  void put(long directory, byte[] name, long inode) {
    int hash = names.hash(directory, name);
    int place = hash & (places.length() - 1);
    Dentry first = places.get(place);
    Dentry second = places.get(place ^ 1);
    Dentry dentry = new Dentry(directory, name, hash, inode);
    boolean inFirst = first != null && first.matches(hash, directory, name);
    boolean inSecond = second != null && second.matches(hash, directory, name);
    // Nothing is moved: a dentry that another thread is making void must not come back.
    if (inFirst || (!inSecond && (first == null || (second != null && hash < 0)))) {
      places.set(place, dentry);
    }
    if (inSecond || (!inFirst && first != null && (second == null || hash >= 0))) {
      places.set(place ^ 1, dentry);
    }
  }
}
