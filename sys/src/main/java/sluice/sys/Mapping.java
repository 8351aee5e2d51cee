package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.sys.call.Kernel;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// Memory obtained with `mmap(2)`, returned with `munmap(2)`.
///
/// Any thread may use it and any thread may close it. Closing costs a handshake with all threads
/// (tens of microseconds): it is for regions that live long. After it every access through
/// [#segment] throws [IllegalStateException]; while a downcall of this module uses the segment,
/// closing throws instead. What the kernel uses *after* a call returned (provided buffers, queued
/// operations) is for the caller to know: cancel first, then close.
///
/// Truncating a mapped file makes accesses beyond its end fail with [InternalError]; some bulk
/// intrinsics die instead. Map only files that no other program can shrink, or seal them
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
  /// @param populate whether all pages are made present now rather than at first touch
  /// @throws SysException ENOMEM when there is no room
  public static Mapping anonymous(long bytes, boolean populate) throws SysException {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populate ? MAP_POPULATE : 0);
    return map(bytes, true, flags, -1, 0);
  }

  /// Asks for huge pages, which save the processor page walks; nothing is lost where there are
  /// none.
  ///
  /// @return 0 or a negative errno
  public int adviseHugePages() {
    return (int)
        Kernel.callHolding(
            segment, SystemCall.MADVISE, segment.address(), segment.byteSize(), MADV_HUGEPAGE, 0);
  }

  /// Gives the pages of a part of anonymous memory back to the system; it reads as zeros
  /// afterwards.
  ///
  /// @param offset a multiple of 64 KiB, so that it is one of the page size, as is `bytes`
  /// @return 0 or a negative errno: -EINVAL when the part does not consist of whole pages
  public int discard(long offset, long bytes) {
    long address = Ranges.writable(segment, offset, bytes);
    return (int) Kernel.callHolding(segment, SystemCall.MADVISE, address, bytes, MADV_DONTNEED, 0);
  }

  /// Maps a file or memory file so that all mappings of it show the same bytes.
  ///
  /// @param fd stays the caller's; it may be closed once this returns
  /// @param offset where the mapping begins in the file, a multiple of the page size
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

  /// The place of a new mapping.
  public static long address(long bytes, boolean writable, int flags, int fd, long offset)
      throws SysException {
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    long address = Kernel.call(SystemCall.MMAP, 0, bytes, protection, flags, fd, offset);
    if (address < 0 && address > -4096) {
      throw SysException.of((int) -address, "mmap", bytes, protection, flags, fd, offset);
    }
    return address;
  }

  /// The whole region; read-only when it was mapped so.
  public MemorySegment segment() {
    return segment;
  }

  /// Unmaps. A second call does nothing.
  ///
  /// @throws IllegalStateException when a downcall uses the segment at this moment; the mapping
  ///   then stays open
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
