package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct io_uring_params`, which contains the requested properties of a ring and
/// the values that were chosen by the kernel.
///
/// The structure is written by the thread that opens the ring, and is read-only afterwards.
///
/// ```
///  byte 0            4            8       12              16               20         24
///      +------------+------------+-------+---------------+----------------+----------+
///      | sq_entries | cq_entries | flags | sq_thread_cpu | sq_thread_idle | features |
///      +-------+----+------------+-------+---------------+----------------+----------+
///   24 | wq_fd | resv[3]                                                             |
///      +-------+---------------------------------------------------------------------+
///   40 | sq_off: struct io_sqring_offsets                                            |
///   80 | cq_off: struct io_cqring_offsets                                            |
///      +-----------------------------------------------------------------------------+
/// ```
final class IoUringParams {
  static final Layout LAYOUT = Layout.of("struct io_uring_params");
  static final int SQ_ENTRIES = LAYOUT.u32("sq_entries");
  static final int CQ_ENTRIES = LAYOUT.u32("cq_entries");
  static final int FLAGS = LAYOUT.u32("flags");
  static final int SQ_THREAD_CPU = LAYOUT.u32("sq_thread_cpu");
  static final int SQ_THREAD_IDLE = LAYOUT.u32("sq_thread_idle");
  static final int FEATURES = LAYOUT.u32("features");
  static final int WQ_FD = LAYOUT.u32("wq_fd");
  static final int RESV = LAYOUT.array("resv", 4, 3);
  static final int SQ_OFF = LAYOUT.array("sq_off", 8, 5);
  static final int CQ_OFF = LAYOUT.array("cq_off", 8, 5);
  static final int SIZE = LAYOUT.sizeBytes();

  static final Layout SQ_LAYOUT = Layout.of("struct io_sqring_offsets");
  static final int SQ_HEAD = SQ_LAYOUT.u32("head");
  static final int SQ_TAIL = SQ_LAYOUT.u32("tail");
  static final int SQ_RING_MASK = SQ_LAYOUT.u32("ring_mask");
  static final int SQ_RING_ENTRIES = SQ_LAYOUT.u32("ring_entries");
  static final int SQ_FLAGS = SQ_LAYOUT.u32("flags");
  static final int SQ_DROPPED = SQ_LAYOUT.u32("dropped");
  static final int SQ_ARRAY = SQ_LAYOUT.u32("array");
  static final int SQ_RESV1 = SQ_LAYOUT.u32("resv1");
  static final int SQ_USER_ADDR = SQ_LAYOUT.u64(/* resv2 before 6.5 */ "user_addr");

  static final Layout CQ_LAYOUT = Layout.of("struct io_cqring_offsets");
  static final int CQ_HEAD = CQ_LAYOUT.u32("head");
  static final int CQ_TAIL = CQ_LAYOUT.u32("tail");
  static final int CQ_RING_MASK = CQ_LAYOUT.u32("ring_mask");
  static final int CQ_RING_ENTRIES = CQ_LAYOUT.u32("ring_entries");
  static final int CQ_OVERFLOW = CQ_LAYOUT.u32("overflow");
  static final int CQ_CQES = CQ_LAYOUT.u32("cqes");
  static final int CQ_FLAGS = CQ_LAYOUT.u32("flags");
  static final int CQ_RESV1 = CQ_LAYOUT.u32("resv1");
  static final int CQ_USER_ADDR = CQ_LAYOUT.u64("user_addr");

  private final MemorySegment segment;

  IoUringParams(Arena arena, int cqEntries, int flags) {
    segment = arena.allocate(SIZE, Long.BYTES);
    segment.set(JAVA_INT, CQ_ENTRIES, cqEntries);
    segment.set(JAVA_INT, FLAGS, flags);
  }

  MemorySegment segment() {
    return segment;
  }

  int sqEntries() {
    return segment.get(JAVA_INT, SQ_ENTRIES);
  }

  int cqEntries() {
    return segment.get(JAVA_INT, CQ_ENTRIES);
  }

  int flags() {
    return segment.get(JAVA_INT, FLAGS);
  }

  /// Returns the size of a submission entry in bytes.
  int sqEntryBytes() {
    return (flags() & IoUring.SETUP_SQE128) == 0 ? Sqe.SIZE : 2 * Sqe.SIZE;
  }

  int features() {
    return segment.get(JAVA_INT, FEATURES);
  }

  /// Returns the offset of a field in the submission ring.
  ///
  /// @param field one of the `SQ_` constants of `struct io_sqring_offsets`
  int sqOffset(int field) {
    return segment.get(JAVA_INT, SQ_OFF + field);
  }

  /// Returns the offset of a field in the completion ring.
  ///
  /// @param field one of the `CQ_` constants of `struct io_cqring_offsets`
  int cqOffset(int field) {
    return segment.get(JAVA_INT, CQ_OFF + field);
  }

  /// Returns the size of the mapping that contains the indexes of both rings, the completion
  /// entries and the array of submission indexes.
  long ringBytes() {
    long completions = cqOffset(CQ_CQES) + (long) cqEntries() * Cqe.SIZE;
    long array = sqOffset(SQ_ARRAY) + (long) sqEntries() * Integer.BYTES;
    return Math.max(completions, array);
  }
}
