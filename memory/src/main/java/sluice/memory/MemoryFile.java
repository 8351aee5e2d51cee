package sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import sluice.sys.AttributeCalls;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.NativeMemory;
import sluice.sys.SysException;

/// Memory that is a file too (`memfd_create(2)`), so that its blocks can leave by `sendfile(2)`,
/// which hands pages to a socket and copies nothing.
///
/// What was sent so stays what it was: until the peer has read them, the bytes in the sockets'
/// queues *are* the block's pages. Hence a block must never be written once it has been sent, and
/// freeing one takes its pages out of the file (`FALLOC_FL_PUNCH_HOLE`): the kernel keeps those
/// that are in a queue, and the next block in the same place has others.
///
/// The whole capacity is reserved as addresses, not as memory. Any thread may call.
public final class MemoryFile implements AutoCloseable {
  private static final int PAGE_BYTES = 64 << 10; // the largest page size of the kernels we run on
  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;

  private final int fd;
  private final Mapping mapping;
  private final MemorySegment memory;

  /// Free ranges: where each begins, and its length. Neighbours are joined.
  private final TreeMap<Long, Long> free = new TreeMap<>();

  private int blocks;
  private boolean closed;

  private MemoryFile(int fd, Mapping mapping) {
    this.fd = fd;
    this.mapping = mapping;
    this.memory = NativeMemory.alias(mapping.segment(), Arena.global());
    free.put(0L, memory.byteSize());
  }

  /// @param name shown in `/proc`
  /// @param capacityBytes blocks at one time; rounded up to whole pages of 64 KiB
  /// @throws SysException where there are no memory files, no descriptors, or no addresses
  public static MemoryFile open(String name, long capacityBytes) throws SysException {
    long bytes = pages(capacityBytes);
    int fd = Math.toIntExact(SysException.check(Files.memfd(name), "memfd_create", name));
    try {
      SysException.check(Files.ftruncate(fd, bytes), "ftruncate", fd, bytes);
      // A page that vanished would end this process by a signal.
      int seals = Files.F_SEAL_GROW | Files.F_SEAL_SHRINK | Files.F_SEAL_SEAL;
      SysException.check(Files.addSeals(fd, seals), "fcntl", fd, "F_ADD_SEALS", seals);
      return new MemoryFile(fd, Mapping.shared(fd, 0, bytes, true));
    } catch (SysException e) {
      int _ = Files.close(fd);
      throw e;
    }
  }

  /// Allocates zeroed memory with one lease, the caller's, in whole pages of 64 KiB.
  ///
  /// @return null when the account, the file or the machine has no room
  public @Nullable Block allocate(Account account, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    long size = pages(bytes);
    if (!account.tryCharge(size)) {
      return null;
    }
    long position = take(size);
    if (position < 0) {
      account.refund(size);
      return null;
    }
    // Now: a page that is not to be had at the first touch would be a signal.
    if (AttributeCalls.fallocate(fd, KEEP_SIZE, position, size) != 0) {
      give(position, size);
      account.refund(size);
      return null;
    }
    return new FileBlock(account, position, size, memory.asSlice(position, bytes));
  }

  private static long pages(long bytes) {
    return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }

  /// The first free range that is long enough, or -1.
  private synchronized long take(long size) {
    if (closed) {
      return -1;
    }
    Map.Entry<Long, Long> range = firstFit(size);
    if (range == null) {
      return -1;
    }
    long position = range.getKey();
    long length = range.getValue();
    free.remove(position);
    if (length > size) {
      free.put(position + size, length - size);
    }
    blocks++;
    return position;
  }

  private Map.@Nullable Entry<Long, Long> firstFit(long size) {
    for (Map.Entry<Long, Long> range : free.entrySet()) {
      if (range.getValue() >= size) {
        return range;
      }
    }
    return null;
  }

  private void give(long position, long size) {
    int _ = AttributeCalls.fallocate(fd, PUNCH_HOLE | KEEP_SIZE, position, size);
    synchronized (this) {
      long from = position;
      long length = size;
      Map.Entry<Long, Long> before = free.floorEntry(from);
      if (before != null && before.getKey() + before.getValue() == from) {
        from = before.getKey();
        length += before.getValue();
      }
      Long after = free.remove(position + size);
      free.put(from, after == null ? length : length + after);
      blocks--;
      endIfUnused();
    }
  }

  /// Free ranges now. More than one is fragmentation, or there are blocks between them.
  synchronized int freeRanges() {
    return free.size();
  }

  /// Refuses further blocks. The memory goes with the last block.
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
      int _ = Files.close(fd);
    }
  }

  private final class FileBlock extends Block {
    private final Account account;
    private final long position;
    private final long size;

    FileBlock(Account account, long position, long size, MemorySegment segment) {
      super(segment, 1);
      this.account = account;
      this.position = position;
      this.size = size;
    }

    @Override
    public int fileDescriptor() {
      return fd;
    }

    @Override
    public long filePosition() {
      return position;
    }

    @Override
    protected void free() {
      give(position, size);
      account.refund(size);
    }
  }
}
