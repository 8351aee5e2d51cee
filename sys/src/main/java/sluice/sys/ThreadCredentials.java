package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The ids that the kernel uses to check file accesses of the calling thread (`credentials(7)`).
///
/// Linux stores these ids per thread, and only the C library keeps them consistent within a
/// process. They belong to the operating system thread, so a virtual thread must not block between
/// changing them and restoring them.
///
/// While the user id is not 0, the kernel suspends the capabilities that bypass file permissions.
/// They are restored when the user id is set to 0 again.
public final class ThreadCredentials {
  private ThreadCredentials() {}

  /// Sets the user id and the group id for file accesses (`setfsuid(2)`, `setfsgid(2)`).
  ///
  /// @return 0, or -EPERM if neither of them was changed
  public static int setFileIds(int uid, int gid) {
    int oldGid = (int) Kernel.call(SystemCall.SETFSGID, gid);
    int oldUid = (int) Kernel.call(SystemCall.SETFSUID, uid);
    // The system calls return only the previous value and do not indicate whether they succeeded.
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
  /// @return 0, -EPERM if the thread does not have `CAP_SETGID`, or -EINVAL if there are more than
  ///   65 536 groups
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

  /// Sets the mask of permissions that are removed from new files, for the entire process
  /// (`umask(2)`).
  ///
  /// @return the previous mask
  public static int umask(int mask) {
    return (int) Kernel.call(SystemCall.UMASK, mask);
  }
}
