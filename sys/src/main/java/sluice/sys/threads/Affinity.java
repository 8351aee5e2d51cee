package sluice.sys.threads;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The set of processors on which a thread may run. This class is stateless, and each call applies
/// to the platform thread that makes it.
public final class Affinity {
  /// The size of the processor mask. The kernel requires space for every processor that the machine
  /// may have.
  private static final int MASK_BYTES = 1024;

  private Affinity() {}

  /// Returns the numbers of the processors on which the calling thread may run, in ascending order.
  /// The list is empty if the kernel rejects the query.
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

  /// Binds the calling thread to a single processor, if the thread is permitted to run there.
  ///
  /// @param processor the number of the processor, beginning with 0
  /// @return 0 or a negative errno, which is -EINVAL if the thread is not permitted to run there
  ///   because the processor is offline or excluded for the process (taskset(1), cpuset); in this
  ///   case nothing is changed
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
