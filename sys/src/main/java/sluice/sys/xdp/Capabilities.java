package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// The capabilities of the calling thread, which are privileges that threads of other users do not
/// have (`capabilities(7)`).
///
/// Linux stores capabilities for each operating system thread, and a thread can change only its
/// own. A thread that is started later inherits the capabilities that its creator has at that time.
/// Threads that are already running, such as the threads of the JVM, are not affected.
///
/// ```c
/// struct __user_cap_header_struct { __u32 version; int pid; };
/// struct __user_cap_data_struct { __u32 effective; __u32 permitted; __u32 inheritable; };
/// ```
public final class Capabilities {
  public static final int CAP_NET_ADMIN = 12;
  public static final int CAP_NET_RAW = 13;
  public static final int CAP_SYS_ADMIN = 21;
  public static final int CAP_PERFMON = 38;
  public static final int CAP_BPF = 39;

  static final int _LINUX_CAPABILITY_VERSION_3 = 0x20080522;
  static final int PR_CAPBSET_DROP = 24;

  static final Layout HEADER_LAYOUT = Layout.of("struct __user_cap_header_struct");
  static final int VERSION = HEADER_LAYOUT.u32("version");
  static final int PID = HEADER_LAYOUT.u32("pid");

  static final Layout LAYOUT = Layout.of("struct __user_cap_data_struct");
  static final int EFFECTIVE = LAYOUT.u32("effective");
  static final int PERMITTED = LAYOUT.u32("permitted");
  static final int INHERITABLE = LAYOUT.u32("inheritable");

  /// The number of words in version 3: one for capabilities 0 to 31, one for 32 to 63.
  private static final int WORDS = 2;

  private Capabilities() {}

  /// Returns the effective capabilities of the calling thread, with one bit for each capability.
  public static long effective() throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sets = read(arena, header(arena));
      long low = sets.get(JAVA_INT, EFFECTIVE) & 0xffff_ffffL;
      long high = sets.get(JAVA_INT, LAYOUT.sizeBytes() + EFFECTIVE) & 0xffff_ffffL;
      return high << Integer.SIZE | low;
    }
  }

  /// Permanently drops capabilities of the calling thread and of the programs that it starts. They
  /// are also removed from the bounding set if the thread is permitted to change it. It is not an
  /// error if the thread does not have a capability.
  ///
  /// @param capabilities `CAP_…` constants
  public static void drop(int... capabilities) throws SysException {
    for (int each : capabilities) {
      long result = Kernel.call(SystemCall.PRCTL, PR_CAPBSET_DROP, each, 0, 0, 0);
      boolean unknown = result == -Errno.EINVAL; // a capability of a newer kernel
      // Without CAP_SETPCAP, the thread is not root, so its bounding set does not grant anything.
      boolean mayNot = result == -Errno.EPERM;
      if (!unknown && !mayNot) {
        long _ = SysException.check(result, "prctl", "PR_CAPBSET_DROP", each);
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment header = header(arena);
      MemorySegment sets = read(arena, header);
      for (int each : capabilities) {
        int word = (each >> 5) * LAYOUT.sizeBytes();
        for (int set : new int[] {EFFECTIVE, PERMITTED, INHERITABLE}) {
          sets.set(JAVA_INT, word + set, sets.get(JAVA_INT, word + set) & ~(1 << (each & 31)));
        }
      }
      long result = Kernel.call(SystemCall.CAPSET, header.address(), sets.address());
      long _ = SysException.check(result, "capset", "all but the dropped");
    }
  }

  private static MemorySegment header(Arena arena) {
    MemorySegment header = arena.allocate(HEADER_LAYOUT.sizeBytes(), Integer.BYTES);
    header.set(JAVA_INT, VERSION, _LINUX_CAPABILITY_VERSION_3);
    return header; // pid 0: the calling thread
  }

  private static MemorySegment read(Arena arena, MemorySegment header) throws SysException {
    MemorySegment sets = arena.allocate((long) WORDS * LAYOUT.sizeBytes(), Integer.BYTES);
    long result = Kernel.call(SystemCall.CAPGET, header.address(), sets.address());
    long _ = SysException.check(result, "capget", "the calling thread");
    return sets;
  }
}
