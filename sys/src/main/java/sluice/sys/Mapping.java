package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.sys.call.Kernel;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// A memory mapping that was created by `mmap(2)` and is removed by `munmap(2)`.
///
/// Any thread may use or close a mapping. Closing it requires a handshake with all threads (tens of
/// microseconds), so mappings are intended for long-lived regions. After it has been closed, every
/// access through [#segment] throws [IllegalStateException]. If a downcall of this module is using
/// the segment, closing fails with an exception instead. The caller is responsible for memory that
/// the kernel uses *after* a call has returned (provided buffers, queued operations), and must
/// cancel these operations before closing the mapping.
///
/// If a mapped file is truncated, accesses beyond its end fail with [InternalError], and some bulk
/// intrinsics crash the process. Therefore only files that cannot be truncated by other programs
/// should be mapped, or the files should be sealed ([Files#addSeals]).
public final class Mapping implements AutoCloseable {
  public static final int PROT_READ = 1;
  public static final int PROT_WRITE = 2;
  public static final int MAP_SHARED = 1;
  public static final int MAP_PRIVATE = 2;
  public static final int MAP_ANONYMOUS = 0x20;
  public static final int MAP_POPULATE = 0x8000;
  static final int MADV_DONTNEED = 4;
  static final int MADV_HUGEPAGE = 14;

  private final Arena arena = Arena.ofShared();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final MemorySegment segment;

  private Mapping(long address, long bytes, boolean writable) {
    MemorySegment whole = segment(arena, address, bytes);
    segment = writable ? whole : whole.asReadOnly();
  }

  /// Maps zeroed private memory.
  ///
  /// @param bytes the size, at least 1, which the kernel rounds up to whole pages
  /// @param populate true to allocate all pages immediately instead of on first access
  /// @throws SysException ENOMEM if there is not enough memory
  public static Mapping anonymous(long bytes, boolean populate) throws SysException {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populate ? MAP_POPULATE : 0);
    return map(bytes, true, flags, -1, 0);
  }

  /// Requests huge pages, which reduce the number of page walks in the processor. This call has no
  /// effect if they are not available.
  ///
  /// @return 0 or a negative errno
  public int adviseHugePages() {
    return (int)
        Kernel.callHolding(
            segment, SystemCall.MADVISE, segment.address(), segment.byteSize(), MADV_HUGEPAGE, 0);
  }

  /// Releases the pages of a part of anonymous memory to the operating system. The part reads as
  /// zeros afterwards.
  ///
  /// @param offset the offset of the part; both the offset and `bytes` must be multiples of 64 KiB,
  ///   and thus of the page size
  /// @return 0 or a negative errno, which is -EINVAL if the part does not consist of whole pages
  public int discard(long offset, long bytes) {
    long address = Ranges.writable(segment, offset, bytes);
    return (int) Kernel.callHolding(segment, SystemCall.MADVISE, address, bytes, MADV_DONTNEED, 0);
  }

  /// Maps a file or memory file. All mappings of the file share the same bytes.
  ///
  /// @param fd the descriptor, which is owned by the caller and may be closed when this method has
  ///   returned
  /// @param offset the offset of the mapping in the file, a multiple of the page size
  /// @param bytes the size, at least 1
  public static Mapping shared(int fd, long offset, long bytes, boolean writable)
      throws SysException {
    return map(bytes, writable, MAP_SHARED, fd, offset);
  }

  private static Mapping map(long bytes, boolean writable, int flags, int fd, long offset)
      throws SysException {
    return new Mapping(address(bytes, writable, flags, fd, offset), bytes, writable);
  }

  private static MemorySegment segment(Arena arena, long address, long bytes) {
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, ignored -> Kernel.call(SystemCall.MUNMAP, address, bytes));
  }

  /// Creates a mapping and returns its address.
  public static long address(long bytes, boolean writable, int flags, int fd, long offset)
      throws SysException {
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    long address = Kernel.call(SystemCall.MMAP, 0, bytes, protection, flags, fd, offset);
    if (address < 0 && address > -4096) {
      throw SysException.of((int) -address, "mmap", bytes, protection, flags, fd, offset);
    }
    return address;
  }

  /// Returns the entire region, which is read-only if it was mapped read-only.
  public MemorySegment segment() {
    return segment;
  }

  /// Unmaps the memory. This method is idempotent.
  ///
  /// @throws IllegalStateException if a downcall is using the segment, in which case the mapping
  ///   remains open
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      arena.close();
    } catch (IllegalStateException inUse) {
      closed.set(false);
      throw inUse;
    }
  }
}
