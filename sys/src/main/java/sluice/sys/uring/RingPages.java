package sluice.sys.uring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Mapping;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// Pages that a ring shares with the kernel. [#release] releases them immediately without stopping
/// other threads by replacing them with new zero pages, which do not occupy memory until they are
/// accessed. The addresses remain reserved while [#segment] is reachable, and are unmapped by the
/// garbage collector afterwards. Late accesses are rejected by the checks of the ring itself. If
/// one of them were not detected, it would read zeros and never the memory of another ring.
///
/// This class is thread-safe.
final class RingPages {
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int FRESH = Mapping.MAP_PRIVATE | Mapping.MAP_ANONYMOUS;

  private final MemorySegment segment;

  private RingPages(long address, long bytes) {
    segment =
        MemorySegment.ofAddress(address)
            .reinterpret(
                bytes, Arena.ofAuto(), ignored -> Kernel.call(SystemCall.MUNMAP, address, bytes));
  }

  /// Maps memory of a ring, with all pages present.
  static RingPages of(int fd, long offset, long bytes) throws SysException {
    int flags = Mapping.MAP_SHARED | Mapping.MAP_POPULATE;
    return new RingPages(Mapping.address(bytes, true, flags, fd, offset), bytes);
  }

  /// Maps zeroed memory, with all pages present, for registration with a ring.
  static RingPages anonymous(long bytes) throws SysException {
    int flags = FRESH | Mapping.MAP_POPULATE;
    return new RingPages(Mapping.address(bytes, true, flags, -1, 0), bytes);
  }

  MemorySegment segment() {
    return segment;
  }

  /// Removes the pages from the process. If the kernel rejects this, they are removed later by the
  /// garbage collector.
  void release() {
    int protection = Mapping.PROT_READ | Mapping.PROT_WRITE;
    int flags = FRESH | MAP_FIXED | MAP_NORESERVE;
    long address = segment.address();
    long _ =
        Kernel.callHolding(
            segment, SystemCall.MMAP, address, segment.byteSize(), protection, flags, -1, 0);
  }
}
