package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import sluice.sys.Errno;
import sluice.sys.IoVec;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;
import sluice.sys.call.Timespec;

/// An io_uring instance, which consists of a submission queue and a completion queue that are
/// shared with the kernel, and of the system call that submits entries and waits for completions.
///
/// If [#SETUP_SINGLE_ISSUER] is set, the ring is owned by the platform thread that opens it, and
/// all methods must be called by this thread. Calls by other threads are rejected by this class
/// because the kernel would not always reject them: the index of a registered ring refers to a
/// different ring in another thread. Virtual threads cannot own a ring because they may change
/// their carrier.
///
/// If the flag is not set, any thread may use the ring, but the caller must ensure that only one
/// thread uses it at a time. When a thread terminates, the kernel cancels the operations that it
/// submitted (-ECANCELED).
///
/// ```
///   SubmissionQueue ──stage──▶ enter(): publish, submit, wait ──▶ CompletionQueue
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `enterFd`, `enterFlags`, `enters`, `closed` | owner | plain | plain |
/// | `argument` | owner | plain, by the kernel during the call | plain |
/// | queues | see [SubmissionQueue], [CompletionQueue], [BufferRing] | | |
///
/// Lifecycle: open → use → close. [#close] cancels all armed or queued operations and then releases
/// the rings. Operations that are already being processed by a block device cannot be cancelled, so
/// their completions must be awaited before the ring is closed. completions before closing.
public final class IoUring implements AutoCloseable {
  private static final long MEMORY_NANOS = 1_000_000_000;
  private static final long MEMORY_LOOK_NANOS = 10_000_000;

  /// A setup flag that makes the kernel run deferred work without interrupting the thread.
  public static final int SETUP_COOP_TASKRUN = 1 << 8;

  /// A setup flag that increases the size of submission entries to 128 bytes, which is required by
  /// [SubmissionQueue#command]. Requires Linux 5.19.
  public static final int SETUP_SQE128 = 1 << 10;

  /// A setup flag that declares that only one thread submits operations. Requires Linux 6.0.
  public static final int SETUP_SINGLE_ISSUER = 1 << 12;

  /// A setup flag that causes completions to be created only within [#enter]. Requires
  /// [#SETUP_SINGLE_ISSUER] and Linux 6.1.
  public static final int SETUP_DEFER_TASKRUN = 1 << 13;

  static final int SETUP_CQSIZE = 1 << 3;
  static final int SETUP_CLAMP = 1 << 4;
  static final int SETUP_SUBMIT_ALL = 1 << 7;

  static final int ENTER_GETEVENTS = 1;
  static final int ENTER_EXT_ARG = 1 << 3;
  static final int ENTER_REGISTERED_RING = 1 << 4;

  static final int REGISTER_BUFFERS = 0;
  static final int UNREGISTER_BUFFERS = 1;
  static final int REGISTER_PROBE = 8;
  static final int REGISTER_FILES2 = 13;
  static final int REGISTER_RING_FDS = 20;
  static final int UNREGISTER_RING_FDS = 21;
  static final int REGISTER_PBUF_RING = 22;
  static final int REGISTER_SYNC_CANCEL = 24;
  static final int REGISTER_PBUF_STATUS = 26;

  static final int RSRC_REGISTER_SPARSE = 1;
  static final int ASYNC_CANCEL_ALL = 1;
  static final int ASYNC_CANCEL_ANY = 1 << 2;

  static final long OFF_SQ_RING = 0;
  static final long OFF_SQES = 0x10000000L;

  static final Layout ARGUMENT_LAYOUT = Layout.of("struct io_uring_getevents_arg");
  static final int SIGMASK = ARGUMENT_LAYOUT.u64("sigmask");
  static final int SIGMASK_SZ = ARGUMENT_LAYOUT.u32("sigmask_sz");
  static final int ARGUMENT_PAD = ARGUMENT_LAYOUT.u32(/* min_wait_usec since 6.12 */ "pad");
  static final int TS = ARGUMENT_LAYOUT.u64("ts");

  static final Layout FILES_LAYOUT = Layout.of("struct io_uring_rsrc_register");
  static final int FILES_NR = FILES_LAYOUT.u32("nr");
  static final int FILES_FLAGS = FILES_LAYOUT.u32("flags");
  static final int FILES_RESV2 = FILES_LAYOUT.u64("resv2");
  static final int FILES_DATA = FILES_LAYOUT.u64("data");
  static final int FILES_TAGS = FILES_LAYOUT.u64("tags");

  static final Layout RING_FD_LAYOUT = Layout.of("struct io_uring_rsrc_update");
  static final int RING_FD_OFFSET = RING_FD_LAYOUT.u32("offset");
  static final int RING_FD_RESV = RING_FD_LAYOUT.u32("resv");
  static final int RING_FD_DATA = RING_FD_LAYOUT.u64("data");

  static final Layout CANCEL_LAYOUT = Layout.of("struct io_uring_sync_cancel_reg");
  static final int CANCEL_ADDR = CANCEL_LAYOUT.u64("addr");
  static final int CANCEL_FD = CANCEL_LAYOUT.u32("fd");
  static final int CANCEL_FLAGS = CANCEL_LAYOUT.u32("flags");
  static final int CANCEL_TIMEOUT = CANCEL_LAYOUT.array("timeout", 8, 2);
  static final int CANCEL_OPCODE = CANCEL_LAYOUT.u8("opcode");
  static final int CANCEL_PAD = CANCEL_LAYOUT.array("pad", 1, 7);
  static final int CANCEL_PAD2 = CANCEL_LAYOUT.array("pad2", 8, 3);

  private final int fd;
  private final int setupFlags;
  private final int features;
  private final Thread owner = Thread.currentThread();
  private final int ownerTid;

  private final RingPages rings;
  private final RingPages entries;

  /// The memory for the errno of calls. Like [#argument], it is freed by the garbage collector.
  private final MemorySegment errno;

  /// A `struct io_uring_getevents_arg` and its timespec, followed by one timespec for each
  /// submission entry.
  private final MemorySegment argument;

  private final long argumentAddress;
  private final int argumentBytes = ARGUMENT_LAYOUT.sizeBytes();
  private final SubmissionQueue submission;
  private final CompletionQueue completion;
  private final List<BufferRing> bufferRings = new ArrayList<>();
  private int enterFd;
  private int enterFlags = ENTER_GETEVENTS;
  private long enters;
  private boolean closed;

  private IoUring(int fd, IoUringParams params) throws SysException {
    this.fd = fd;
    enterFd = fd;
    setupFlags = params.flags();
    features = params.features();
    ownerTid = (int) Kernel.call(SystemCall.GETTID, 0);
    rings = RingPages.of(fd, OFF_SQ_RING, params.ringBytes());
    long entryBytes = (long) params.sqEntries() * params.sqEntryBytes();
    try {
      entries = RingPages.of(fd, OFF_SQES, entryBytes);
    } catch (SysException noRoom) {
      rings.release();
      throw noRoom;
    }
    Arena arena = Arena.ofAuto();
    errno = Kernel.newErrno(arena);
    int own = ARGUMENT_LAYOUT.sizeBytes() + Timespec.BYTES;
    MemorySegment scratch =
        arena.allocate(own + SubmissionQueue.timespecBytes(params.sqEntries()), Long.BYTES);
    argument = scratch.asSlice(0, own);
    argumentAddress = argument.address();
    argument.set(JAVA_LONG, TS, argumentAddress + argumentBytes);
    MemorySegment timespecs = scratch.asSlice(own);
    submission = new SubmissionQueue(this, rings.segment(), entries.segment(), timespecs, params);
    completion = new CompletionQueue(rings.segment(), params);
  }

  /// Calls `io_uring_setup`, and retries the call if memory is scarce, because the kernel releases
  /// the locked memory of rings of the same user only some time after they have been closed.
  private static long setup(int entries, IoUringParams params) {
    long deadline = System.nanoTime() + MEMORY_NANOS;
    while (true) {
      long fd = Kernel.callWithBuffer(SystemCall.IO_URING_SETUP, entries, params.segment(), 0);
      if (fd != -Errno.ENOMEM || System.nanoTime() - deadline > 0) {
        return fd;
      }
      LockSupport.parkNanos(MEMORY_LOOK_NANOS);
    }
  }

  /// Opens a ring that is owned by the calling thread. If memory is scarce, this method waits for
  /// up to a second.
  ///
  /// @param entries the number of submission entries, which the kernel rounds up to a power of two
  ///   and limits
  /// @param cqEntries the number of completion entries (`SETUP_CQSIZE` is implied), at least
  ///   `entries`
  /// @param setupFlags `SETUP_` bits, to which `CLAMP` and `SUBMIT_ALL` are added
  /// @throws SysException EPERM (sysctl, seccomp), ENOSYS, ENOMEM (memlock) or EINVAL (the kernel
  ///   is too old), with a remedy
  public static IoUring open(int entries, int cqEntries, int setupFlags) throws SysException {
    if ((setupFlags & SETUP_SINGLE_ISSUER) != 0 && Thread.currentThread().isVirtual()) {
      throw new WrongThreadException("a ring belongs to a platform thread");
    }
    int flags = setupFlags | SETUP_CQSIZE | SETUP_CLAMP | SETUP_SUBMIT_ALL;
    try (Arena arena = Arena.ofConfined()) {
      IoUringParams params = new IoUringParams(arena, cqEntries, flags);
      long fd = setup(entries, params);
      SysException.check(
          fd, "io_uring_setup", entries, "cq_entries=" + cqEntries, "flags=0x" + hex(flags));
      try {
        return new IoUring((int) fd, params);
      } catch (SysException noMemory) {
        Kernel.call(SystemCall.CLOSE, fd);
        throw noMemory;
      }
    }
  }

  private static String hex(int value) {
    return Integer.toHexString(value);
  }

  /// Returns the submission queue.
  public SubmissionQueue submission() {
    return submission;
  }

  /// Returns the completion queue.
  public CompletionQueue completion() {
    return completion;
  }

  /// Submits all staged operations and waits for completions.
  ///
  /// @param minComplete the number of completions to wait for
  /// @param timeoutNanos the timeout; 0 returns immediately, and a negative value waits
  ///   indefinitely
  /// @return the number of entries submitted, or a negative errno; -ETIME and -EINTR do not
  ///   indicate failures
  /// @throws WrongThreadException if the calling thread is not the owner
  public int enter(int minComplete, long timeoutNanos) {
    checkOwner();
    int submit = submission.publish();
    enters++;
    int wait = timeoutNanos == 0 ? 0 : minComplete;
    try {
      return wait > 0 && timeoutNanos > 0
          ? enterWithin(submit, wait, timeoutNanos)
          : (int)
              Kernel.call(
                  errno, SystemCall.IO_URING_ENTER, enterFd, submit, wait, enterFlags, 0, 0);
    } finally {
      Reference.reachabilityFence(this); // the ring's memory must stay alive during the call
    }
  }

  private int enterWithin(int submit, int wait, long timeoutNanos) {
    argument.set(
        JAVA_LONG, argumentBytes + Timespec.TV_SEC, TimeUnit.NANOSECONDS.toSeconds(timeoutNanos));
    argument.set(JAVA_LONG, argumentBytes + Timespec.TV_NSEC, timeoutNanos % 1_000_000_000L);
    return (int)
        Kernel.call(
            errno,
            SystemCall.IO_URING_ENTER,
            enterFd,
            submit,
            wait,
            enterFlags | ENTER_EXT_ARG,
            argumentAddress,
            argumentBytes);
  }

  private boolean mayUse() {
    return (setupFlags & SETUP_SINGLE_ISSUER) == 0 || Thread.currentThread() == owner;
  }

  private void checkOwner() {
    if (!mayUse()) {
      throw new WrongThreadException("ring belongs to " + owner);
    }
  }

  /// Submits all staged operations without waiting. If [#SETUP_DEFER_TASKRUN] is set, this call
  /// does not make progress on operations that were submitted earlier, and does not create any
  /// completions.
  ///
  /// @return the number of entries submitted, or a negative errno
  /// @throws WrongThreadException if the calling thread is not the owner
  public int submit() {
    checkOwner();
    int submit = submission.publish();
    enters++;
    int flags = enterFlags & ~ENTER_GETEVENTS;
    try {
      return (int) Kernel.call(errno, SystemCall.IO_URING_ENTER, enterFd, submit, 0, flags, 0, 0);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /// Returns the number of times that the kernel has been entered.
  public long enters() {
    return enters;
  }

  /// Returns the descriptor of this ring, which can be polled or passed to
  /// [SubmissionQueue#msgRing].
  public int fd() {
    return fd;
  }

  /// Returns the `IORING_FEAT_` bits.
  public int features() {
    return features;
  }

  /// Registers buffers for receives. They become available to the kernel when they are added by
  /// [BufferRing#add].
  ///
  /// @param group the number of the group, 0 to 65 535
  /// @param region memory of `count * bufferBytes` bytes that must outlive the ring
  /// @param count a power of two, at most 32 768
  public BufferRing registerBufferRing(int group, MemorySegment region, int count, int bufferBytes)
      throws SysException {
    return registerBufferRing(group, region, count, bufferBytes, false);
  }

  /// Registers buffers for receives. They become available to the kernel when they are added by
  /// [BufferRing#add].
  ///
  /// @param group the number of the group, 0 to 65 535
  /// @param region memory of at least `count * bufferBytes` bytes that must outlive the ring
  /// @param count the maximum number of buffers that the kernel may hold at the same time, a power
  ///   of two, at most 32 768
  /// @param incremental true if a receive should use only as much of a buffer as it needs
  /// @throws SysException EINVAL if `incremental` is set and Linux is older than 6.12
  public BufferRing registerBufferRing(
      int group, MemorySegment region, int count, int bufferBytes, boolean incremental)
      throws SysException {
    BufferRing ring = new BufferRing(this, group, region, count, bufferBytes, incremental);
    bufferRings.add(ring);
    return ring;
  }

  /// Pins memory for use by [SubmissionQueue#readFixed] and [SubmissionQueue#writeFixed]. A ring
  /// has at most one such buffer.
  ///
  /// @param region at most 1 GiB; the kernel keeps its pages until [#unregisterBuffers] is called
  ///   or the ring is closed, even if they are unmapped
  /// @throws SysException ENOMEM if the region exceeds the amount of memory that this process may
  ///   lock
  public void registerBuffer(MemorySegment region) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment vector = arena.allocate(IoVec.SIZE, Long.BYTES);
      IoVec.set(vector, 0, 0, region, 0, Math.toIntExact(region.byteSize()));
      register(REGISTER_BUFFERS, vector, 1);
    }
  }

  /// Unregisters the buffer that was registered by [#registerBuffer]. Waits for operations that use
  /// the memory.
  public void unregisterBuffers() throws SysException {
    register(UNREGISTER_BUFFERS, MemorySegment.NULL, 0);
  }

  /// Registers an empty table of direct descriptors.
  ///
  /// @param slots the number of slots, at most RLIMIT_NOFILE
  public void registerFiles(int slots) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      int bytes = FILES_LAYOUT.sizeBytes();
      MemorySegment files = arena.allocate(bytes, Long.BYTES);
      files.set(JAVA_INT, FILES_NR, slots);
      files.set(JAVA_INT, FILES_FLAGS, RSRC_REGISTER_SPARSE);
      register(REGISTER_FILES2, files, bytes);
    }
  }

  /// Registers the ring, so that [#enter] refers to it by an index instead of a descriptor. This
  /// avoids updating a reference count on each call.
  public void registerRingFd() throws SysException {
    if (enterFd != fd) {
      return;
    }
    if ((setupFlags & SETUP_SINGLE_ISSUER) == 0) {
      throw new IllegalStateException("the registered number would mean nothing to other threads");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment update = ringFdUpdate(arena, -1, fd);
      register(REGISTER_RING_FDS, update, 1);
      enterFd = update.get(JAVA_INT, RING_FD_OFFSET);
      enterFlags |= ENTER_REGISTERED_RING;
    }
  }

  /// Returns true if the ring was registered by [#registerRingFd].
  public boolean ringFdRegistered() {
    return (enterFlags & ENTER_REGISTERED_RING) != 0;
  }

  private static MemorySegment ringFdUpdate(Arena arena, int offset, long data) {
    MemorySegment update = arena.allocate(RING_FD_LAYOUT.sizeBytes(), Long.BYTES);
    update.set(JAVA_INT, RING_FD_OFFSET, offset);
    update.set(JAVA_LONG, RING_FD_DATA, data);
    return update;
  }

  /// Calls `io_uring_register(2)`.
  void register(int opcode, MemorySegment structure, int count) throws SysException {
    SysException.check(
        tryRegister(opcode, structure, count), "io_uring_register", fd, opcode, count);
  }

  private long tryRegister(int opcode, MemorySegment structure, int count) {
    checkOwner();
    if (closed) {
      throw new IllegalStateException("ring is closed");
    }
    return Kernel.call(
        errno, SystemCall.IO_URING_REGISTER, fd, opcode, structure.address(), count, 0, 0);
  }

  /// Releases the rings from another thread while the owner is alive. The caller must guarantee
  /// that the owner is not executing [#enter] and will not call any method again. The kernel
  /// cancels armed operations a short time later, and they do not receive any more data. This
  /// method must not be used for a ring that was registered by [#registerRingFd], because its
  /// thread keeps it open.
  public void abandon() {
    if (closed) {
      return;
    }
    if (ringFdRegistered()) {
      throw new IllegalStateException("a registered ring lives as long as its thread");
    }
    closed = true;
    enterFd = -1;
    giveBack();
  }

  private void giveBack() {
    Kernel.call(SystemCall.CLOSE, fd);
    bufferRings.forEach(BufferRing::release);
    bufferRings.clear();
    submission.end();
    completion.end();
    rings.release();
    entries.release();
  }

  /// Submits the staged operations, cancels all operations and releases the rings. This method is
  /// idempotent.
  ///
  /// @throws WrongThreadException if the calling thread is not the owner and the owner is alive
  @Override
  public void close() {
    if (closed) {
      return;
    }
    boolean byOwner = mayUse();
    if (!byOwner && owner.isAlive()) {
      throw new WrongThreadException("ring belongs to " + owner);
    }
    if (byOwner) {
      cancelAll();
      unregisterRingFd();
    } else {
      awaitOwnerExit();
    }
    closed = true;
    enterFd = -1;
    enterFlags &= ~ENTER_REGISTERED_RING;
    giveBack();
  }

  /// Submits the staged operations, which may include closes. Then cancels operations until the
  /// kernel finds none, and discards the completions.
  private void cancelAll() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cancel = arena.allocate(CANCEL_LAYOUT.sizeBytes(), Long.BYTES);
      cancel.set(JAVA_INT, CANCEL_FD, -1);
      cancel.set(JAVA_INT, CANCEL_FLAGS, ASYNC_CANCEL_ANY | ASYNC_CANCEL_ALL);
      cancel.set(JAVA_LONG, CANCEL_TIMEOUT + Timespec.TV_SEC, 1);
      for (int round = 0; round < 1000; round++) {
        boolean idle = drain() == 0 && submission.staged() == 0;
        int result = (int) tryRegister(REGISTER_SYNC_CANCEL, cancel, 1);
        if (idle && result <= 0 && result != -Errno.EINTR) {
          return; // 0: nothing was cancelled, so nothing is left; -EINVAL: Linux before 6.0
        }
      }
    }
  }

  private int drain() {
    enter(0, 0);
    int done = completion.available();
    completion.advance(done);
    return done;
  }

  private void unregisterRingFd() {
    if (ringFdRegistered()) {
      try (Arena arena = Arena.ofConfined()) {
        tryRegister(UNREGISTER_RING_FDS, ringFdUpdate(arena, enterFd, 0), 1);
      }
    }
  }

  /// Waits until the kernel has terminated the owner thread, which cancels its operations. Java
  /// reports a thread as terminated slightly earlier, or several seconds earlier if the processor
  /// is busy with other threads.
  private void awaitOwnerExit() {
    long pid = Kernel.call(SystemCall.GETPID, 0);
    long timeout = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (Kernel.call(SystemCall.TGKILL, pid, ownerTid, 0) == 0 && System.nanoTime() < timeout) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
  }

  @Override
  public String toString() {
    return "IoUring[fd=" + fd + ", flags=0x" + hex(setupFlags) + (closed ? ", closed]" : "]");
  }
}
