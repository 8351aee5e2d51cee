package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.sys.call.Kernel;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// Memory that was mapped with `mmap(2)` and is unmapped with `munmap(2)`.
///
/// Any thread may use it, and any thread may close it. Closing costs a handshake with all threads
/// (tens of microseconds), so it suits long-lived regions. Afterwards every access through
/// [#segment] throws [IllegalStateException]. While a downcall of this module uses the segment,
/// closing throws instead. Memory that the kernel uses *after* a call has returned (provided
/// buffers, queued operations) is the caller's responsibility: cancel first, then close.
///
/// If a mapped file is truncated, accesses beyond its end fail with [InternalError]; some bulk
/// intrinsics crash instead. Map only files that no other program can shrink, or seal them
/// ([Files#addSeals]).
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
  /// @param bytes size, at least 1; the kernel rounds it up to whole pages
  /// @param populate true to allocate all pages now rather than at the first touch
  /// @throws SysException ENOMEM if there is no room
  public static Mapping anonymous(long bytes, boolean populate) throws SysException {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populate ? MAP_POPULATE : 0);
    return map(bytes, true, flags, -1, 0);
  }

  /// Requests huge pages, which save page walks of the processor. Harmless if there are none.
  ///
  /// @return 0 or a negative errno
  public int adviseHugePages() {
    return (int)
        Kernel.callHolding(
            segment, SystemCall.MADVISE, segment.address(), segment.byteSize(), MADV_HUGEPAGE, 0);
  }

  /// Returns the pages of a part of anonymous memory to the system. It reads as zeros afterwards.
  ///
  /// @param offset a multiple of 64 KiB, and so of the page size, as is `bytes`
  /// @return 0 or a negative errno: -EINVAL if the part does not consist of whole pages
  public int discard(long offset, long bytes) {
    long address = Ranges.writable(segment, offset, bytes);
    return (int) Kernel.callHolding(segment, SystemCall.MADVISE, address, bytes, MADV_DONTNEED, 0);
  }

  /// Maps a file or memory file, such that all of its mappings share the same bytes.
  ///
  /// @param fd belongs to the caller; it may be closed once this returns
  /// @param offset the start of the mapping in the file, a multiple of the page size
  /// @param bytes size, at least 1
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

  /// Returns the whole region; read-only if it was mapped read-only.
  public MemorySegment segment() {
    return segment;
  }

  /// Unmaps the memory. A second call does nothing.
  ///
  /// @throws IllegalStateException if a downcall is using the segment; the mapping then stays open
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
