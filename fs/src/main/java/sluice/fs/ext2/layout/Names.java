package sluice.fs.ext2.layout;

import java.util.concurrent.ThreadLocalRandom;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Rules for the names in directories, and a hash of them that no image can foresee. Immutable: any
/// thread may use it.
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

  /// @throws FsException `EINVAL` for bytes that no name has, `ENOENT` when it has none
  public static void check(byte[] name) throws FsException {
    if (name.length == 0) {
      throw FsException.of(Errno.ENOENT, "an empty name");
    }
    if (!isPossible(name, 0, name.length)) {
      throw FsException.of(Errno.EINVAL, "a name with a slash or NUL");
    }
  }

  /// Whether a path can hold such a name: one with a slash would lead out of its directory any
  /// program that joins it to a path.
  public static boolean isPossible(byte[] bytes, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (bytes[i] == '/' || bytes[i] == 0) {
        return false;
      }
    }
    return true;
  }

  /// Asked only once the directory is known to be one, as Linux does.
  ///
  /// @throws FsException `ENAMETOOLONG`
  public static void checkLength(byte[] name) throws FsException {
    if (name.length > EntryLayout.MAX_NAME_BYTES) {
      throw FsException.of(Errno.ENAMETOOLONG, "a name of " + name.length + " bytes");
    }
  }
}
