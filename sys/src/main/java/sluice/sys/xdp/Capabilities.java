package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// What the calling thread may do that other users' threads may not (`capabilities(7)`).
///
/// Linux keeps capabilities for each thread of the operating system, and a thread changes its own
/// alone. Threads that it starts afterwards have what it has then; threads that run already, those
/// of the JVM among them, keep theirs.
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

  /// Of version 3: capabilities 0 to 31, then 32 to 63.
  private static final int WORDS = 2;

  private Capabilities() {}

  /// Those that count in the calling thread now, one bit for each.
  public static long effective() throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sets = read(arena, header(arena));
      long low = sets.get(JAVA_INT, EFFECTIVE) & 0xffff_ffffL;
      long high = sets.get(JAVA_INT, LAYOUT.sizeBytes() + EFFECTIVE) & 0xffff_ffffL;
      return high << Integer.SIZE | low;
    }
  }

  /// Takes capabilities from the calling thread for ever, and from the programs that it starts:
  /// also out of the bounding set, where the thread may change that. A capability that it does not
  /// have is no error.
  ///
  /// @param capabilities `CAP_…`
  public static void drop(int... capabilities) throws SysException {
    for (int each : capabilities) {
      long result = Kernel.call(SystemCall.PRCTL, PR_CAPBSET_DROP, each, 0, 0, 0);
      boolean unknown = result == -Errno.EINVAL; // of a newer kernel than this one
      boolean mayNot = result == -Errno.EPERM; // CAP_SETPCAP is not there: no root, no set to fear
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
    return header; // of the calling thread: pid 0
  }

  private static MemorySegment read(Arena arena, MemorySegment header) throws SysException {
    MemorySegment sets = arena.allocate((long) WORDS * LAYOUT.sizeBytes(), Integer.BYTES);
    long result = Kernel.call(SystemCall.CAPGET, header.address(), sets.address());
    long _ = SysException.check(result, "capget", "the calling thread");
    return sets;
  }
}
