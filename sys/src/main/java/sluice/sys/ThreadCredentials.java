package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The ids with which the kernel checks file accesses of the calling thread (`credentials(7)`).
///
/// Linux keeps them per thread; only the C library makes them equal in a process. They belong to
/// the operating system thread: a virtual thread must not wait between changing them and changing
/// them back.
///
/// While the user id is not 0, the kernel suspends the capabilities that bypass file permissions;
/// they return with user id 0.
public final class ThreadCredentials {
  private ThreadCredentials() {}

  /// Sets user id and group id for file accesses (`setfsuid(2)`, `setfsgid(2)`).
  ///
  /// @return 0, or -EPERM: neither has changed then
  public static int setFileIds(int uid, int gid) {
    int oldGid = (int) Kernel.call(SystemCall.SETFSGID, gid);
    int oldUid = (int) Kernel.call(SystemCall.SETFSUID, uid);
    // The system calls return the old value only, not whether they succeeded.
    boolean done =
        (int) Kernel.call(SystemCall.SETFSUID, -1) == uid
            && (int) Kernel.call(SystemCall.SETFSGID, -1) == gid;
    if (done) {
      return 0;
    }
    Kernel.call(SystemCall.SETFSUID, oldUid);
    Kernel.call(SystemCall.SETFSGID, oldGid);
    return -Errno.EPERM;
  }

  /// Sets the supplementary groups of this thread (`setgroups(2)`).
  ///
  /// @return 0, -EPERM without `CAP_SETGID`, or -EINVAL for more than 65 536
  public static int setGroups(int[] groups) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = arena.allocate(JAVA_INT, Math.max(1, groups.length));
      MemorySegment.copy(groups, 0, list, JAVA_INT, 0, groups.length);
      return (int) Kernel.call(SystemCall.SETGROUPS, groups.length, list.address());
    }
  }

  /// Returns the supplementary groups of this thread.
  public static int[] groups() {
    int count = Math.max(0, (int) Kernel.call(SystemCall.GETGROUPS, 0, 0));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = arena.allocate(JAVA_INT, Math.max(1, count));
      int got = (int) Kernel.call(SystemCall.GETGROUPS, count, list.address());
      int[] groups = new int[Math.max(0, got)];
      MemorySegment.copy(list, JAVA_INT, 0, groups, 0, groups.length);
      return groups;
    }
  }

  /// Sets the mask of permissions that new files do not get, for the whole process (`umask(2)`).
  ///
  /// @return the previous mask
  public static int umask(int mask) {
    return (int) Kernel.call(SystemCall.UMASK, mask);
  }
}
