package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// A resource limit of this process (`struct rlimit64`).
///
/// Instances are immutable and thread-safe.
///
/// ```c
/// struct rlimit64 { __u64 rlim_cur; __u64 rlim_max; };
/// ```
///
/// @param soft the current limit, or -1 for no limit
/// @param hard the value up to which `soft` may be raised without privileges, or -1 for no limit
public record ResourceLimit(long soft, long hard) {
  static final Layout LAYOUT = Layout.of("struct rlimit64");
  static final int RLIM_CUR = LAYOUT.u64("rlim_cur");
  static final int RLIM_MAX = LAYOUT.u64("rlim_max");

  /// The limit on open descriptors. It is one greater than the largest descriptor number.
  public static final int RLIMIT_NOFILE = 7;

  /// The limit on locked memory in bytes.
  public static final int RLIMIT_MEMLOCK = 8;

  /// The value that represents no limit.
  public static final long RLIM_INFINITY = -1;

  /// Reads a limit.
  ///
  /// @param resource an `RLIMIT_` constant
  public static ResourceLimit of(int resource) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(LAYOUT.sizeBytes(), Long.BYTES);
      long result = Kernel.call(SystemCall.PRLIMIT64, 0, resource, 0, limit.address());
      SysException.check(result, "prlimit64", 0, resource);
      return new ResourceLimit(limit.get(JAVA_LONG, RLIM_CUR), limit.get(JAVA_LONG, RLIM_MAX));
    }
  }

  /// Raises a limit as far as this is permitted. The limit is never lowered.
  ///
  /// @param wanted the requested soft limit; the hard limit is also raised if the process is
  ///   permitted to do so
  /// @return the resulting limit
  public static ResourceLimit raise(int resource, long wanted) throws SysException {
    ResourceLimit now = of(resource);
    if (Long.compareUnsigned(now.soft, wanted) >= 0) {
      return now;
    }
    boolean beyond = Long.compareUnsigned(wanted, now.hard) > 0;
    if (beyond && set(resource, wanted, wanted) == 0) {
      return of(resource);
    }
    long soft = beyond ? now.hard : wanted;
    SysException.check(set(resource, soft, now.hard), "prlimit64", 0, resource, "soft=" + soft);
    return of(resource);
  }

  /// Sets the soft limit to any value up to the hard limit. Tests use this method to exhaust the
  /// descriptors.
  public static void soft(int resource, long soft) throws SysException {
    ResourceLimit now = of(resource);
    SysException.check(set(resource, soft, now.hard), "prlimit64", 0, resource, "soft=" + soft);
  }

  private static long set(int resource, long soft, long hard) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(LAYOUT.sizeBytes(), Long.BYTES);
      limit.set(JAVA_LONG, RLIM_CUR, soft);
      limit.set(JAVA_LONG, RLIM_MAX, hard);
      return Kernel.call(SystemCall.PRLIMIT64, 0, resource, limit.address(), 0);
    }
  }
}
