package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import sluice.sys.SysException;
import sluice.sys.call.CallMemory;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// A group of provided buffers. The buffers are segments of equal size of a region of memory, and
/// the kernel selects a buffer from the group for each receive.
///
/// Instances are confined to the thread that owns the ring. A buffer is returned to the kernel by
/// [#add] when its bytes are no longer needed, and it has been consumed by the kernel when a
/// completion contains its id. The group is closed together with the [IoUring].
///
/// In an incremental group (Linux 6.12), a receive uses only as much of a buffer as it fills, and
/// the next receive continues after it. A completion with [Cqe#F_BUF_MORE] does not consume the
/// buffer. Its bytes follow the bytes of the previous completion that contained the same buffer id.
///
/// ```
///  entry 0 of the ring of struct io_uring_buf, and the tail that overlaps its last field
///  byte 0         8       12     14     16
///      +----------+-------+------+------+
///      |   addr   |  len  | bid  | tail |
///      +----------+-------+------+------+
/// ```
///
/// ```c
/// struct io_uring_buf { __u64 addr; __u32 len; __u16 bid; __u16 resv; };
/// struct io_uring_buf_ring { struct { __u64 resv1; __u32 resv2; __u16 resv3; __u16 tail; }; };
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | entries | owner | plain, by the kernel after the tail | plain |
/// | kernel `tail` | owner | acquire, by the kernel | release, in [#commit] |
/// | `tail` | owner | plain | plain |
///
/// The number of entries is a power of two from 1 to 32 768. The kernel holds at most as many
/// buffers as there are entries, but the region may contain more, up to 65 536. The region must
/// remain mapped until the ring is closed.
public final class BufferRing {
  static final Layout LAYOUT = Layout.of("struct io_uring_buf");
  static final int ADDR = LAYOUT.u64("addr");
  static final int LEN = LAYOUT.u32("len");
  static final int BID = LAYOUT.u16("bid");
  static final int RESV = LAYOUT.u16("resv");
  static final int ENTRY_BYTES = LAYOUT.sizeBytes();
  static final int TAIL = RESV;

  static final Layout REGISTRATION_LAYOUT = Layout.of("struct io_uring_buf_reg");
  static final int RING_ADDR = REGISTRATION_LAYOUT.u64("ring_addr");
  static final int RING_ENTRIES = REGISTRATION_LAYOUT.u32("ring_entries");
  static final int BGID = REGISTRATION_LAYOUT.u16("bgid");
  static final int REGISTRATION_FLAGS = REGISTRATION_LAYOUT.u16("flags");
  static final int REGISTRATION_RESV = REGISTRATION_LAYOUT.array("resv", 8, 3);

  static final Layout STATUS_LAYOUT = Layout.of("struct io_uring_buf_status");
  static final int STATUS_GROUP = STATUS_LAYOUT.u32("buf_group");
  static final int STATUS_HEAD = STATUS_LAYOUT.u32("head");
  static final int STATUS_RESV = STATUS_LAYOUT.array("resv", 4, 8);

  static final int IOU_PBUF_RING_INC = 2;

  private static final int MAX_COUNT = 32_768;
  private static final int MAX_BUFFERS = 65_536;
  private static final VarHandle SHORT = JAVA_SHORT.varHandle();

  private final IoUring owner;
  private final int group;
  private final RingPages pages;
  private MemorySegment entries;
  private final MemorySegment region;
  private final long regionAddress;
  private final int mask;
  private final int buffers;
  private final int bufferBytes;
  private short tail;

  BufferRing(
      IoUring owner,
      int group,
      MemorySegment region,
      int count,
      int bufferBytes,
      boolean incremental)
      throws SysException {
    if (Integer.bitCount(count) != 1 || count < 1 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          "count must be a power of two from 1 to " + MAX_COUNT + ": " + count);
    }
    if (bufferBytes < 1) {
      throw new IllegalArgumentException("bufferBytes must be at least 1: " + bufferBytes);
    }
    this.owner = owner;
    this.group = group;
    this.region = region;
    this.bufferBytes = bufferBytes;
    regionAddress = Ranges.writable(region, 0, (long) count * bufferBytes);
    mask = count - 1;
    buffers = (int) Math.min(region.byteSize() / bufferBytes, MAX_BUFFERS);
    pages = RingPages.anonymous((long) count * ENTRY_BYTES);
    entries = pages.segment();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(REGISTRATION_LAYOUT.sizeBytes(), Long.BYTES);
      argument.set(JAVA_LONG, RING_ADDR, entries.address());
      argument.set(JAVA_INT, RING_ENTRIES, count);
      argument.set(JAVA_SHORT, BGID, (short) group);
      argument.set(JAVA_SHORT, REGISTRATION_FLAGS, (short) (incremental ? IOU_PBUF_RING_INC : 0));
      owner.register(IoUring.REGISTER_PBUF_RING, argument, 1);
    } catch (SysException refused) {
      pages.release();
      throw refused;
    }
  }

  /// Adds a buffer to the group. It becomes visible to the kernel when [#commit] is called.
  ///
  /// @param id the index of the buffer in the region; the kernel must not already hold the buffer
  public void add(int id) {
    if (id < 0 || id >= buffers) {
      throw new IndexOutOfBoundsException("buffer " + id + " of " + buffers);
    }
    long at = (long) (tail & mask) * ENTRY_BYTES;
    entries.set(JAVA_LONG, at + ADDR, regionAddress + (long) id * bufferBytes);
    entries.set(JAVA_INT, at + LEN, bufferBytes);
    entries.set(JAVA_SHORT, at + BID, (short) id);
    tail++;
  }

  /// Makes the added buffers visible to the kernel.
  public void commit() {
    SHORT.setRelease(entries, (long) TAIL, tail);
  }

  /// Returns the number of buffers that the kernel holds, as reported by the kernel. This method
  /// makes a system call and is intended for tests and diagnosis. Requires Linux 6.8.
  public int held() throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(STATUS_LAYOUT.sizeBytes(), Integer.BYTES);
      argument.set(JAVA_INT, STATUS_GROUP, group);
      owner.register(IoUring.REGISTER_PBUF_STATUS, argument, 1);
      return (short) (tail - argument.get(JAVA_INT, STATUS_HEAD)) & 0xffff;
    }
  }

  /// Returns the region that contains the buffers.
  public MemorySegment region() {
    return region;
  }

  /// Returns the number of the group, which is passed to [SubmissionQueue#receiveMultishot].
  public int group() {
    return group;
  }

  /// Returns the number of entries.
  public int count() {
    return mask + 1;
  }

  /// Returns the size of each buffer in bytes.
  public int bufferBytes() {
    return bufferBytes;
  }

  /// Releases the entries. The io_uring is already closed at this point, so the kernel no longer
  /// reads them.
  void release() {
    pages.release();
    entries = CallMemory.ENDED;
  }
}
