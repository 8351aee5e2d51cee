package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// Locks on ranges of a file that are owned by an open file (see "Open file description locks" in
/// `fcntl(2)`). This class is stateless and thread-safe.
///
/// ```
/// struct flock { short l_type, l_whence;  /*  0 */
///                off_t l_start, l_len;    /*  8 */
///                pid_t l_pid; };          /* 24: 0 for these locks */
/// ```
public final class RecordLocks {
  static final int TYPE = 0;
  static final int START = 8;
  static final int LENGTH = 16;
  static final int BYTES = 32;

  static final int F_OFD_GETLK = 36;
  static final int F_OFD_SETLK = 37;
  static final short F_RDLCK = 0;
  static final short F_WRLCK = 1;
  static final short F_UNLCK = 2;

  private RecordLocks() {}

  /// Acquires a shared lock on a single byte until the file is closed. The byte does not need to
  /// exist.
  ///
  /// @param fd a descriptor that is open for reading
  /// @return 0 or a negative errno, which is -EAGAIN if another open file holds an exclusive lock
  public static int share(int fd, long position) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment lock = lock(arena, F_RDLCK, position);
      return (int) Kernel.call(SystemCall.FCNTL, fd, F_OFD_SETLK, lock.address());
    }
  }

  /// Determines whether a byte is locked through another open file of the same file.
  ///
  /// @return 1 if the byte is locked, 0 if it is not, or a negative errno
  public static int isHeld(int fd, long position) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment lock = lock(arena, F_WRLCK, position);
      int result = (int) Kernel.call(SystemCall.FCNTL, fd, F_OFD_GETLK, lock.address());
      if (result < 0) {
        return result;
      }
      return lock.get(JAVA_SHORT, TYPE) == F_UNLCK ? 0 : 1;
    }
  }

  private static MemorySegment lock(Arena arena, short type, long position) {
    MemorySegment lock = arena.allocate(BYTES, Long.BYTES);
    lock.set(JAVA_SHORT, TYPE, type);
    lock.set(JAVA_LONG, START, position);
    lock.set(JAVA_LONG, LENGTH, 1);
    return lock;
  }
}
