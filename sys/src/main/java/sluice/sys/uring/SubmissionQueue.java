package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import sluice.sys.IoVec;
import sluice.sys.MsgHeader;
import sluice.sys.call.CallMemory;
import sluice.sys.call.Ranges;
import sluice.sys.call.Timespec;

/// The submission queue of an [IoUring]. Each method stages a single operation, and the next
/// [IoUring#enter] submits all staged operations.
///
/// Instances are confined to the thread that owns the ring. No method allocates memory. If the
/// queue is full, a method first submits the staged operations. Memory to which an operation refers
/// must remain valid until its last completion. This does not apply to message headers and socket
/// addresses, which are copied when the operation is submitted.
///
/// Several parameters are common to many methods. If `fixed` is true, `fd` is a slot of the direct
/// descriptor table. The value of `userData` is returned with the completion ([#IGNORED] marks
/// completions that can be ignored). If `skipSuccess` is true, there is no completion unless the
/// operation fails (a short send is treated as a failure only with `MSG_WAITALL`).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | entries | owner | plain, by the kernel after `sq.tail` | plain |
/// | kernel `sq.tail` | owner | acquire, by the kernel | release, in `publish` |
/// | kernel `sq.head` | kernel | acquire: entries before it are free | release |
/// | `tail` | owner | plain | plain |
public final class SubmissionQueue {
  /// The user data of operations whose completions can be ignored by the caller.
  public static final long IGNORED = 0;

  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final int SOCK_CLOEXEC = 0x80000;

  private final IoUring owner;
  private MemorySegment ring;
  private MemorySegment entries;

  /// An array that contains a `struct __kernel_timespec` for each entry. It is used for timeouts.
  private MemorySegment timespecs;

  private final long headOffset;
  private final long tailOffset;
  private final int mask;
  private final int entryBytes;
  private int tail;
  private int published;

  SubmissionQueue(
      IoUring owner,
      MemorySegment ring,
      MemorySegment entries,
      MemorySegment timespecs,
      IoUringParams params) {
    this.owner = owner;
    this.ring = ring;
    this.entries = entries;
    this.timespecs = timespecs;
    headOffset = params.sqOffset(IoUringParams.SQ_HEAD);
    tailOffset = params.sqOffset(IoUringParams.SQ_TAIL);
    mask = params.sqEntries() - 1;
    entryBytes = params.sqEntryBytes();
    tail = ring.get(JAVA_INT, tailOffset);
    published = tail;
    long array = params.sqOffset(IoUringParams.SQ_ARRAY);
    for (int i = 0; i <= mask; i++) {
      ring.set(JAVA_INT, array + (long) i * Integer.BYTES, i);
    }
  }

  static long timespecBytes(int sqEntries) {
    return (long) sqEntries * Timespec.BYTES;
  }

  /// Disables the queue when the ring is closed. From now on, every method throws
  /// [IllegalStateException].
  void end() {
    ring = CallMemory.ENDED;
    entries = CallMemory.ENDED;
    timespecs = CallMemory.ENDED;
  }

  /// Returns the number of operations that are staged and have not been consumed by the kernel yet.
  public int staged() {
    return tail - headAcquire();
  }

  /// Returns the number of entries.
  public int capacity() {
    return mask + 1;
  }

  /// Ensures that the next `count` operations can be staged without a submission between them. This
  /// is required for linked operations, which must not be separated by a submission.
  ///
  /// @param count the number of operations, at most [#capacity]
  public void reserve(int count) {
    if (capacity() - staged() >= count) {
      return;
    }
    if (count > capacity()) {
      throw new IllegalArgumentException(count + " entries do not fit in " + capacity());
    }
    for (int attempt = 0; attempt < 100; attempt++) {
      owner.enter(0, 0);
      if (capacity() - staged() >= count) {
        return;
      }
      Thread.onSpinWait();
    }
    throw new IllegalStateException("the kernel takes no submissions: completions not drained?");
  }

  /// Arms a multishot accept. The result of each completion is a new descriptor, which is
  /// close-on-exec and blocking.
  public void acceptMultishot(int fd, long userData) {
    stage(
        first(Opcode.ACCEPT, 0, Sqe.IORING_ACCEPT_MULTISHOT, fd),
        0,
        0,
        (long) SOCK_CLOEXEC << 32,
        userData,
        0);
  }

  /// Accepts a single connection. The result is a new descriptor, which is close-on-exec and
  /// blocking. If several rings wait for the same listener, the connection is assigned to the ring
  /// that has been waiting longest. In contrast, an armed multishot accept would remain at the head
  /// of the queue and receive all connections.
  public void accept(int fd, long userData) {
    stage(first(Opcode.ACCEPT, 0, 0, fd), 0, 0, (long) SOCK_CLOEXEC << 32, userData, 0);
  }

  /// Arms a multishot receive into buffers of a group. Each completion contains [Cqe#F_BUFFER] and
  /// a buffer id. A completion without [Cqe#F_MORE] is the last one.
  ///
  /// @param group the number of a [BufferRing]
  public void receiveMultishot(int fd, boolean fixed, int group, long userData) {
    int flags = Sqe.IOSQE_BUFFER_SELECT | fixedFlag(fixed);
    stage(
        first(Opcode.RECV, flags, Sqe.IORING_RECV_MULTISHOT, fd),
        0,
        0,
        0,
        userData,
        group & 0xffff);
  }

  /// Receives once into a buffer of a group. This operation is like [#receiveMultishot], but it has
  /// a single completion.
  public void receiveSelected(int fd, boolean fixed, int group, long userData) {
    int flags = Sqe.IOSQE_BUFFER_SELECT | fixedFlag(fixed);
    stage(first(Opcode.RECV, flags, 0, fd), 0, 0, 0, userData, group & 0xffff);
  }

  /// Sends bytes. With `MSG_WAITALL | MSG_DONTWAIT | MSG_NOSIGNAL` and `skipSuccess`, there is a
  /// completion only if not all bytes were accepted, and it arrives during the same submission.
  ///
  /// @param messageFlags `MSG_` bits of [sluice.sys.Sockets]
  public void send(
      int fd,
      boolean fixed,
      MemorySegment segment,
      long offset,
      int length,
      int messageFlags,
      boolean skipSuccess,
      long userData) {
    stage(
        first(Opcode.SEND, fixedFlag(fixed) | skipFlag(skipSuccess), 0, fd),
        0,
        Ranges.readable(segment, offset, length),
        lengthAndFlags(length, messageFlags),
        userData,
        0);
  }

  /// Sends the ranges of a message header that was initialized by [MsgHeader]. The header is copied
  /// when the operation is submitted.
  public void sendMessage(
      int fd,
      boolean fixed,
      MemorySegment header,
      long offset,
      int messageFlags,
      boolean skipSuccess,
      long userData) {
    stage(
        first(Opcode.SENDMSG, fixedFlag(fixed) | skipFlag(skipSuccess), 0, fd),
        0,
        Ranges.readable(header, offset, MsgHeader.SIZE),
        lengthAndFlags(1, messageFlags),
        userData,
        0);
  }

  /// Connects a socket. Completes with 0 or a negative errno.
  ///
  /// @param address an address that was encoded by [sluice.sys.SocketAddresses]; it is copied when
  ///   the operation is submitted
  public void connect(
      int fd, boolean fixed, MemorySegment address, long offset, int length, long userData) {
    long location = Ranges.readable(address, offset, length);
    stage(first(Opcode.CONNECT, fixedFlag(fixed), 0, fd), length, location, 0, userData, 0);
  }

  /// Shuts down one or both directions of a connection. Completes with 0 or a negative errno.
  /// Because the kernel always executes this operation in a worker thread (about 10 µs),
  /// [sluice.sys.Sockets#shutdown] is cheaper for an ordinary descriptor.
  ///
  /// @param how `SHUT_RD` 0, `SHUT_WR` 1, `SHUT_RDWR` 2
  public void shutdown(int fd, boolean fixed, int how, long userData) {
    stage(first(Opcode.SHUTDOWN, fixedFlag(fixed), 0, fd), 0, 0, how, userData, 0);
  }

  /// Closes a descriptor. Completes only on failure, as [#IGNORED]. Because an armed receive keeps
  /// the connection open, it must be cancelled, or the connection must be shut down, before the
  /// descriptor is closed.
  public void close(int fd) {
    stage(first(Opcode.CLOSE, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, fd), 0, 0, 0, IGNORED, 0);
  }

  /// Stores an open descriptor in a slot of the direct descriptor table, replacing its previous
  /// content. Operations that are staged later may use the slot. Completes only on failure.
  ///
  /// @param descriptor memory that contains the descriptor as an int and must not change until the
  ///   next [IoUring#enter]
  public void fillSlot(int slot, MemorySegment descriptor, long offset, long userData) {
    stage(
        first(Opcode.FILES_UPDATE, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, -1),
        slot,
        Ranges.readable(descriptor, offset, Integer.BYTES),
        1,
        userData,
        0);
  }

  /// Frees a slot of the direct descriptor table. Completes only on failure, as [#IGNORED].
  public void closeDirect(int slot) {
    long index = (slot + 1L) << 32;
    stage(first(Opcode.CLOSE, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, 0), 0, 0, 0, IGNORED, index);
  }

  /// Waits until a descriptor is ready. Completes with the events that occurred, or a negative
  /// errno.
  ///
  /// @param events `POLLIN`, … of [sluice.sys.PollFds]
  /// @param multishot true if the poll remains armed, in which case completions are similar to
  ///   edge-triggered events
  public void pollAdd(int fd, int events, boolean multishot, long userData) {
    stage(
        first(Opcode.POLL_ADD, 0, 0, fd),
        0,
        0,
        lengthAndFlags(multishot ? Sqe.IORING_POLL_ADD_MULTI : 0, events),
        userData,
        0);
  }

  /// Removes a poll, which completes with -ECANCELED. The removal itself completes only on failure.
  public void pollRemove(long targetUserData, long userData) {
    stage(
        first(Opcode.POLL_REMOVE, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, -1),
        0,
        targetUserData,
        0,
        userData,
        0);
  }

  /// Cancels an operation. The operation completes with -ECANCELED unless it completes normally
  /// before it can be cancelled. The cancellation itself completes only on failure, which can be
  /// ignored (-ENOENT if the operation does not exist, and -EALREADY if it can no longer be
  /// cancelled).
  public void cancel(long targetUserData, long userData) {
    stage(
        first(Opcode.ASYNC_CANCEL, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, -1),
        0,
        targetUserData,
        0,
        userData,
        0);
  }

  /// Reads into memory. Completes with the number of bytes, 0 at the end of the file, or a negative
  /// errno.
  ///
  /// @param position the position in the file, or -1 for streams and for the current position of
  ///   the file
  public void read(
      int fd, MemorySegment segment, long offset, int length, long position, long userData) {
    long address = Ranges.writable(segment, offset, length);
    stage(first(Opcode.READ, 0, 0, fd), position, address, length, userData, 0);
  }

  /// Writes from memory. Completes with the number of bytes, or a negative errno.
  ///
  /// @param position the position in the file, or -1 for streams and for the current position of
  ///   the file
  public void write(
      int fd, MemorySegment segment, long offset, int length, long position, long userData) {
    long address = Ranges.readable(segment, offset, length);
    stage(first(Opcode.WRITE, 0, 0, fd), position, address, length, userData, 0);
  }

  /// Reads like [#read], but into several ranges in sequence.
  ///
  /// @param vector entries of [IoVec], which are copied by the kernel when the operation is
  ///   submitted
  /// @param count the number of entries, from 1 to [IoVec#LIMIT]
  public void readVector(
      int fd, MemorySegment vector, long offset, int count, long position, long userData) {
    long address = entries(vector, offset, count);
    stage(first(Opcode.READV, 0, 0, fd), position, address, count, userData, 0);
  }

  /// Writes like [#write], but from several ranges in sequence. See [#readVector] for the entries.
  public void writeVector(
      int fd, MemorySegment vector, long offset, int count, long position, long userData) {
    long address = entries(vector, offset, count);
    stage(first(Opcode.WRITEV, 0, 0, fd), position, address, count, userData, 0);
  }

  private static long entries(MemorySegment vector, long offset, int count) {
    if (count < 1 || count > IoVec.LIMIT) {
      throw new IllegalArgumentException("count must be 1 to " + IoVec.LIMIT + ": " + count);
    }
    return Ranges.readable(vector, offset, (long) count * IoVec.SIZE);
  }

  /// Reads like [#read], but into memory within the buffer that was registered by
  /// [IoUring#registerBuffer].
  public void readFixed(
      int fd, MemorySegment segment, long offset, int length, long position, long userData) {
    long address = Ranges.writable(segment, offset, length);
    stage(first(Opcode.READ_FIXED, 0, 0, fd), position, address, length, userData, 0);
  }

  /// Writes like [#write], but from memory within the buffer that was registered by
  /// [IoUring#registerBuffer].
  public void writeFixed(
      int fd, MemorySegment segment, long offset, int length, long position, long userData) {
    long address = Ranges.readable(segment, offset, length);
    stage(first(Opcode.WRITE_FIXED, 0, 0, fd), position, address, length, userData, 0);
  }

  /// Does nothing. Completes with 0.
  public void nop(long userData) {
    stage(first(Opcode.NOP, 0, 0, -1), 0, 0, 0, userData, 0);
  }

  /// Completes with -ETIME after the given time, or with -ECANCELED if it is cancelled before.
  public void timeout(long nanos, long userData) {
    reserve(1);
    stage(first(Opcode.TIMEOUT, 0, 0, -1), 0, timespec(nanos), 1, userData, 0);
  }

  /// Adds a timeout to the operation that was staged immediately before. If the timeout expires,
  /// that operation completes with -ECANCELED and the timeout completes with -ETIME. If that
  /// operation completes in time, the timeout completes with -ECANCELED. The caller must call
  /// [#reserve] with 2 before staging the pair.
  ///
  /// @throws IllegalStateException if the previous operation has already been submitted
  public void linkTimeout(long nanos, long userData) {
    if (tail == published || staged() == capacity()) {
      throw new IllegalStateException("nothing staged to link to: reserve(2) before the pair");
    }
    long flags = slot(tail - 1) + Sqe.FLAGS;
    entries.set(JAVA_BYTE, flags, (byte) (entries.get(JAVA_BYTE, flags) | Sqe.IOSQE_IO_LINK));
    stage(first(Opcode.LINK_TIMEOUT, 0, 0, -1), 0, timespec(nanos), 1, userData, 0);
  }

  /// Posts a completion with `userData` and `result` to another ring. This operation itself
  /// completes only on failure, as [#IGNORED].
  ///
  /// @param targetRingFd the [IoUring#fd] of the other ring
  /// @param result the result, which must not be negative
  public void msgRing(int targetRingFd, long userData, int result) {
    stage(
        first(Opcode.MSG_RING, Sqe.IOSQE_CQE_SKIP_SUCCESS, 0, targetRingFd),
        userData,
        Sqe.IORING_MSG_DATA,
        Integer.toUnsignedLong(result),
        IGNORED,
        0);
  }

  /// Stages a command for a file. The meaning of the command is defined by the driver of the file.
  /// Its data is set by [#commandData]. Requires a ring that was opened with
  /// [IoUring#SETUP_SQE128].
  ///
  /// @param operation the number by which the driver identifies the command
  /// @param address the address of memory to which the command refers, or 0
  /// @param length the length of that memory, in units that are defined by the command
  void command(int fd, int operation, long address, int length, long userData) {
    if (entryBytes == Sqe.SIZE) {
      throw new IllegalStateException("commands need a ring of SETUP_SQE128");
    }
    stage(first(Opcode.URING_CMD, 0, 0, fd), operation, address, length, userData, 0);
    long rest = slot(tail - 1) + Sqe.SIZE;
    for (int i = 0; i < Sqe.SIZE; i += Long.BYTES) {
      entries.set(JAVA_LONG, rest + i, 0L);
    }
  }

  /// Sets eight bytes of the data of the command that was just staged.
  ///
  /// @param offset a multiple of 8 below 80
  void commandData(int offset, long value) {
    entries.set(JAVA_LONG, slot(tail - 1) + Sqe.CMD + offset, value);
  }

  /// Publishes the staged entries to the kernel.
  ///
  /// @return the number of entries that have not been consumed by the kernel yet
  int publish() {
    INT.setRelease(ring, tailOffset, tail);
    published = tail;
    return tail - headAcquire();
  }

  private void stage(
      long first, long off, long addr, long lenAndFlags, long userData, long groupAndIndex) {
    if (tail - headAcquire() > mask) {
      reserve(1);
    }
    long at = slot(tail);
    entries.set(JAVA_LONG, at, first);
    entries.set(JAVA_LONG, at + Sqe.OFF, off);
    entries.set(JAVA_LONG, at + Sqe.ADDR, addr);
    entries.set(JAVA_LONG, at + Sqe.LEN, lenAndFlags);
    entries.set(JAVA_LONG, at + Sqe.USER_DATA, userData);
    entries.set(JAVA_LONG, at + Sqe.BUF_GROUP, groupAndIndex);
    entries.set(JAVA_LONG, at + Sqe.ADDR3, 0L);
    entries.set(JAVA_LONG, at + Sqe.PAD2, 0L);
    tail++;
  }

  private int headAcquire() {
    return (int) INT.getAcquire(ring, headOffset);
  }

  private long slot(int index) {
    return (long) (index & mask) * entryBytes;
  }

  /// Sets the timespec that belongs to the next entry, and returns its address.
  private long timespec(long nanos) {
    long at = (long) (tail & mask) * Timespec.BYTES;
    timespecs.set(JAVA_LONG, at, TimeUnit.NANOSECONDS.toSeconds(nanos));
    timespecs.set(JAVA_LONG, at + Long.BYTES, nanos % 1_000_000_000L);
    return timespecs.address() + at;
  }

  /// Returns the first eight bytes of an entry, little-endian: opcode, flags, ioprio, fd.
  private static long first(int opcode, int flags, int ioprio, int fd) {
    return opcode | (long) flags << 8 | (long) ioprio << 16 | (long) fd << 32;
  }

  private static long lengthAndFlags(int length, int flags) {
    return Integer.toUnsignedLong(length) | (long) flags << 32;
  }

  private static int fixedFlag(boolean fixed) {
    return fixed ? Sqe.IOSQE_FIXED_FILE : 0;
  }

  private static int skipFlag(boolean skip) {
    return skip ? Sqe.IOSQE_CQE_SKIP_SUCCESS : 0;
  }
}
