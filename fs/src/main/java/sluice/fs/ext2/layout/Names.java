package sluice.fs.ext2.layout;

import java.util.concurrent.ThreadLocalRandom;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// The rules for names in directories, and a hash of names that cannot be predicted by the creator
/// of an image. Instances are immutable and thread-safe.
public final class Names {
  @SuppressWarnings("MutablePublicArray") // read only, by this module alone
  public static final byte[] DOT = {'.'};

  @SuppressWarnings("MutablePublicArray") // as above
  public static final byte[] DOT_DOT = {'.', '.'};

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final long factor = ThreadLocalRandom.current().nextLong() | 1;

  public int hash(long directory, byte[] name) {
    return hash(directory, name, 0, name.length);
  }

  public int hash(long directory, byte[] bytes, int from, int count) {
    long hash = seed ^ directory * 0x9E3779B97F4A7C15L;
    for (int i = from; i < from + count; i++) {
      hash = (hash ^ (bytes[i] & 0xFF)) * factor;
      hash ^= hash >>> 29;
    }
    return (int) (hash >>> 24);
  }

  /// Checks the bytes of a name.
  ///
  /// @throws FsException `EINVAL` if the name contains a slash or NUL, or `ENOENT` if it is empty
  public static void check(byte[] name) throws FsException {
    if (name.length == 0) {
      throw FsException.of(Errno.ENOENT, "an empty name");
    }
    if (!isPossible(name, 0, name.length)) {
      throw FsException.of(Errno.EINVAL, "a name with a slash or NUL");
    }
  }

  /// Returns true if the name can be part of a path. A name that contains a slash could make a
  /// program that appends it to a path leave the directory.
  public static boolean isPossible(byte[] bytes, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (bytes[i] == '/' || bytes[i] == 0) {
        return false;
      }
    }
    return true;
  }

  /// Checks the length of a name. Like Linux, callers perform this check only after they have
  /// determined that the parent is a directory.
  ///
  /// @throws FsException `ENAMETOOLONG` if the name is too long
  public static void checkLength(byte[] name) throws FsException {
    if (name.length > EntryLayout.MAX_NAME_BYTES) {
      throw FsException.of(Errno.ENAMETOOLONG, "a name of " + name.length + " bytes");
    }
  }
}
