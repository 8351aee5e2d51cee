package sluice.memory.block;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.NativeMemory;
import sluice.sys.SysException;

/// A range of memory from which blocks are allocated in whole units, using a bitmap ([UnitMap]).
/// The capacity is reserved as address space and does not occupy memory until it is used. This
/// class is thread-safe.
///
/// | opened as | backed by | a block that is freed |
/// |---|---|---|
/// | [#openAnonymous] | memory of this process | keeps its pages; they are zeroed when they are allocated again |
/// | [#openMemoryFile] | a sealed `memfd_create(2)` | its pages are removed from the file |
///
/// **Blocks of a memory file can be sent with `sendfile(2)`**, which passes pages to a socket
/// without copying them. Until the peer has read the bytes, the socket's queue refers to the
/// block's own pages. Therefore a block must never be written after it has been sent, and its pages
/// are removed from the file when it is freed (`FALLOC_FL_PUNCH_HOLE`). The kernel keeps the pages
/// that are still in a queue, and the next block at the same offset gets new pages.
///
/// The monitor is held only while the bitmap is searched. Accounts are charged, memory is zeroed,
/// and system calls are made before or after that.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | units, touched, blocks, closed | any thread | under the monitor | under the monitor |
///
/// Lifecycle: opened → blocks are allocated → closed, after which no more blocks are allocated. The
/// memory is released when the last block is freed. A region has at most [#MOST_UNITS] units.
public final class Region implements AutoCloseable {
  /// The maximum number of units. Each unit occupies one bit in the bitmap.
  public static final int MOST_UNITS = 1 << 28;

  private static final int LEAST_UNIT_BYTES = 64;

  /// The largest page size of the kernels that Sluice supports.
  private static final int FILE_UNIT_BYTES = 64 << 10;

  private static final long HUGE_PAGE_BYTES = 2 << 20;
  private static final String HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled";
  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;

  private final String name;
  private final int fd;
  private final Mapping mapping;
  private final MemorySegment memory;
  private final int unitShift;
  private final @Nullable String noHugePages;
  private final UnitMap units;

  /// The first unit that has never been allocated. The memory from this unit onwards is still zero.
  private int touched;

  private int blocks;
  private boolean closed;

  private Region(
      String name, int fd, Mapping mapping, MemorySegment memory, int unitBytes, String noHuge) {
    this.name = name;
    this.fd = fd;
    this.mapping = mapping;
    this.memory = memory;
    this.unitShift = Integer.numberOfTrailingZeros(unitBytes);
    this.noHugePages = noHuge.isEmpty() ? null : noHuge;
    this.units = new UnitMap(Math.toIntExact(memory.byteSize() >> unitShift));
  }

  /// Opens a region that is backed by memory of this process.
  ///
  /// @param name the name that is used in messages
  /// @param capacityBytes the capacity, which is rounded up to whole units
  /// @param unitBytes the unit of block sizes, a power of two that is at least 64
  /// @param hugePages true to request huge pages; the region behaves the same without them
  ///   ([#noHugePages])
  /// @throws SysException if there is not enough address space
  public static Region openAnonymous(
      String name, long capacityBytes, int unitBytes, boolean hugePages) throws SysException {
    long bytes = capacity(capacityBytes, unitBytes);
    long spare = hugePages && bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
    Mapping mapping = Mapping.anonymous(bytes + spare, false);
    MemorySegment all = NativeMemory.alias(mapping.segment(), Arena.global());
    long begin = spare == 0 ? 0 : -all.address() & (spare - 1);
    String reason = hugePages ? adviseHugePages(mapping, bytes) : "huge pages were not asked for";
    return new Region(name, -1, mapping, all.asSlice(begin, bytes), unitBytes, reason);
  }

  /// Returns a single block that occupies an anonymous region of its own, which is released
  /// together with the block. It is intended for pools that divide their memory themselves.
  ///
  /// @param bytes the size of the block
  /// @return null if the account does not have enough room
  /// @throws SysException if there is not enough address space
  public static @Nullable Block single(
      String name, Budget account, long bytes, int unitBytes, boolean hugePages)
      throws SysException {
    try (Region region = openAnonymous(name, bytes, unitBytes, hugePages)) {
      return region.allocate(account, bytes);
    }
  }

  /// Opens a region that is backed by a memory file, in units of 64 KiB. The file is sealed, so its
  /// length cannot change.
  ///
  /// @param name the name that is shown in `/proc`
  /// @param capacityBytes the capacity, which is rounded up to whole units
  /// @throws SysException if memory files are not supported, or if there are not enough descriptors
  ///   or there is not enough address space
  public static Region openMemoryFile(String name, long capacityBytes) throws SysException {
    long bytes = capacity(capacityBytes, FILE_UNIT_BYTES);
    int fd = Math.toIntExact(SysException.check(Files.memfd(name), "memfd_create", name));
    try {
      SysException.check(Files.ftruncate(fd, bytes), "ftruncate", fd, bytes);
      // An access to a page beyond the end of a file that was truncated would terminate this
      // process with a signal.
      int seals = Files.F_SEAL_GROW | Files.F_SEAL_SHRINK | Files.F_SEAL_SEAL;
      SysException.check(Files.addSeals(fd, seals), "fcntl", fd, "F_ADD_SEALS", seals);
      Mapping mapping = Mapping.shared(fd, 0, bytes, true);
      MemorySegment all = NativeMemory.alias(mapping.segment(), Arena.global());
      return new Region(
          name, fd, mapping, all, FILE_UNIT_BYTES, "pages of a memory file leave one by one");
    } catch (SysException e) {
      int _ = Files.close(fd);
      throw e;
    }
  }

  private static long capacity(long bytes, int unitBytes) {
    if (unitBytes < LEAST_UNIT_BYTES || Integer.bitCount(unitBytes) != 1) {
      throw new IllegalArgumentException(
          "unitBytes must be a power of two, at least " + LEAST_UNIT_BYTES + ": " + unitBytes);
    }
    if (bytes < 1 || bytes > (long) MOST_UNITS * unitBytes) {
      throw new IllegalArgumentException(
          "capacityBytes must be 1 to " + MOST_UNITS + " units of " + unitBytes + ": " + bytes);
    }
    return (bytes + unitBytes - 1) & -(long) unitBytes;
  }

  /// Requests huge pages. Returns the reason why they are not available, or an empty string if the
  /// kernel provides them on first access.
  private static String adviseHugePages(Mapping mapping, long bytes) {
    if (bytes < HUGE_PAGE_BYTES) {
      return "the region is shorter than a huge page";
    }
    int error = mapping.adviseHugePages();
    if (error != 0) {
      return "madvise(MADV_HUGEPAGE): " + Errno.name(-error) + ", this kernel has none";
    }
    // This uses java.io because a Sluice file system may be the JVM's default file system, and this
    // code runs before that file system exists.
    try (FileInputStream in = new FileInputStream(HUGE_PAGES)) {
      return new String(in.readAllBytes(), US_ASCII).contains("[never]")
          ? HUGE_PAGES + " says never. Fix: write madvise to it"
          : "";
    } catch (IOException e) {
      return HUGE_PAGES + " cannot be read: " + e.getMessage();
    }
  }

  /// Allocates zeroed memory with one lease, which is held by the caller. The account is charged
  /// for whole units.
  ///
  /// @return null if the account, the region or the machine does not have enough room, or if the
  ///   region is closed
  public @Nullable Block allocate(Budget account, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    if (bytes > capacityBytes()) {
      return null;
    }
    int count = (int) (((bytes - 1) >> unitShift) + 1);
    long size = (long) count << unitShift;
    if (!account.tryCharge(size)) {
      return null;
    }
    int at;
    int before;
    synchronized (this) {
      at = closed ? -1 : units.take(count);
      before = touched;
      if (at >= 0) {
        blocks++;
        touched = Math.max(touched, at + count);
      }
    }
    if (at < 0) {
      account.refund(size);
      return null;
    }
    MemorySegment segment = memory.asSlice((long) at << unitShift, bytes);
    if (fd < 0) {
      zero(segment, (long) (before - at) << unitShift);
    } else if (AttributeCalls.fallocate(fd, KEEP_SIZE, (long) at << unitShift, size) != 0) {
      // The pages are allocated here, because a page that is unavailable on first access would
      // cause a signal.
      give(at, count);
      account.refund(size);
      return null;
    }
    return new RegionBlock(this, account, segment, at, count);
  }

  private static void zero(MemorySegment segment, long usedBytes) {
    if (usedBytes > 0) {
      segment.asSlice(0, Math.min(usedBytes, segment.byteSize())).fill((byte) 0);
    }
  }

  private void give(int at, int count) {
    if (fd >= 0) {
      long position = (long) at << unitShift;
      int _ =
          AttributeCalls.fallocate(fd, PUNCH_HOLE | KEEP_SIZE, position, (long) count << unitShift);
    }
    synchronized (this) {
      units.give(at, count);
      blocks--;
      endIfUnused();
    }
  }

  /// Releases pages of a block in an anonymous region to the operating system. They read as zeros
  /// afterwards. The caller must hold the block, and no other thread may use the range.
  ///
  /// @param offset the offset in the region, a multiple of the page size
  /// @return 0 or a negative errno; if the pages are larger than the range, they are not changed
  public int discard(long offset, long bytes) {
    long start = memory.address() - mapping.segment().address();
    return fd < 0 ? mapping.discard(start + offset, bytes) : -Errno.EINVAL;
  }

  /// Returns the descriptor of the memory file, or -1 if there is none.
  public int fileDescriptor() {
    return fd;
  }

  public long capacityBytes() {
    return memory.byteSize();
  }

  /// Returns the unit in bytes to which block sizes are rounded up.
  public int unitBytes() {
    return 1 << unitShift;
  }

  public synchronized long freeBytes() {
    return (long) units.freeUnits() << unitShift;
  }

  /// Returns the lengths in bytes of all free areas, in ascending order of their addresses.
  /// Adjacent free areas are merged, so any two areas are separated by at least one block. This
  /// method scans all units.
  public synchronized long[] freeAreas() {
    int[] lengths = units.freeAreas();
    long[] bytes = new long[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      bytes[i] = (long) lengths[i] << unitShift;
    }
    return bytes;
  }

  /// Returns the size of the bitmap on the Java heap. The size does not depend on the number of
  /// allocated blocks.
  public long overheadBytes() {
    return units.overheadBytes();
  }

  /// Returns the reason why the region has no huge pages, or null if the kernel provides them on
  /// first access.
  public @Nullable String noHugePages() {
    return noHugePages;
  }

  /// Closes this region, after which no more blocks are allocated. The memory is released when the
  /// last block is freed. This method is idempotent.
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      endIfUnused();
    }
  }

  private void endIfUnused() {
    if (closed && blocks == 0) {
      mapping.close();
      if (fd >= 0) {
        int _ = Files.close(fd);
      }
    }
  }

  @Override
  public String toString() {
    return name + ": " + freeBytes() + " of " + capacityBytes() + " bytes are free";
  }

  private static final class RegionBlock extends Block {
    private final Region region;
    private final Budget account;
    private final int at;
    private final int count;

    RegionBlock(Region region, Budget account, MemorySegment segment, int at, int count) {
      super(segment, 1);
      this.region = region;
      this.account = account;
      this.at = at;
      this.count = count;
    }

    @Override
    public Region region() {
      return region;
    }

    @Override
    public long regionOffset() {
      return (long) at << region.unitShift;
    }

    @Override
    protected void free() {
      region.give(at, count);
      account.refund((long) count << region.unitShift);
    }
  }
}
