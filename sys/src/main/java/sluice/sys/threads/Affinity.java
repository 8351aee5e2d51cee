package sluice.sys.threads;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The processors a thread runs on. Without state: each call is about the platform thread that
/// calls.
public final class Affinity {
  /// The kernel wants room for all processors it may have.
  private static final int MASK_BYTES = 1024;

  private Affinity() {}

  /// Returns the numbers of the processors that the calling thread may run on, in order; empty if
  /// the kernel does not say.
  public static List<Integer> processors() {
    List<Integer> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
      long bytes = Kernel.call(SystemCall.SCHED_GETAFFINITY, 0, MASK_BYTES, mask.address());
      for (int i = 0; i < bytes * Byte.SIZE; i++) {
        if ((mask.get(JAVA_BYTE, i / Byte.SIZE) & 1 << (i % Byte.SIZE)) != 0) {
          found.add(i);
        }
      }
    }
    return found;
  }

  /// Keeps the calling thread on one processor, if it may run there.
  ///
  /// @param processor number, from 0
  /// @return 0 or a negative errno: -EINVAL when it may not, because the processor is off or the
  ///   process was kept away from it (taskset(1), cpuset); nothing has changed then
  public static int bind(int processor) {
    if (processor < 0
        || processor >= MASK_BYTES * Byte.SIZE
        || Thread.currentThread().isVirtual()) {
      return -Errno.EINVAL;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
      long bytes = Kernel.call(SystemCall.SCHED_GETAFFINITY, 0, MASK_BYTES, mask.address());
      int at = processor / Byte.SIZE;
      int bit = 1 << (processor % Byte.SIZE);
      if (bytes < 0 || (mask.get(JAVA_BYTE, at) & bit) == 0) {
        return bytes < 0 ? (int) bytes : -Errno.EINVAL;
      }
      mask.fill((byte) 0);
      mask.set(JAVA_BYTE, at, (byte) bit);
      return (int) Kernel.call(SystemCall.SCHED_SETAFFINITY, 0, MASK_BYTES, mask.address());
    }
  }
}
