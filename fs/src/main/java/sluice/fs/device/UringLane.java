package sluice.fs.device;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.sys.Errno;
import sluice.sys.IoVec;
import sluice.sys.Mapping;
import sluice.sys.SysException;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;
import sluice.sys.uring.SubmissionQueue;

/// A ring of a [UringDevice]. It is used by the thread that holds its lock until its transfers have
/// completed.
///
/// Contiguous transfers form a run, which is executed as a single operation. If a run is also
/// contiguous in registered memory, that memory is used, and otherwise the operation uses a vector
/// of ranges.
final class UringLane implements AutoCloseable {
  private static final int ENTRIES = 64;

  /// The maximum number of transfers in one operation.
  private static final int RUN_TRANSFERS = 256;

  /// The size of the bounce buffer, which is used for memory whose alignment does not permit direct
  /// I/O.
  private static final int BOUNCE_BYTES = 1 << 18;

  /// The maximum size of a buffer that can be registered with the kernel.
  private static final long MOST_REGISTERED = 1L << 30;

  final ReentrantLock lock = new ReentrantLock();
  private final int fd;
  private final int sectorBytes;
  private final IoUring ring;
  private final RingDriver driver;
  private final Mapping bounce;
  private final TransferRun[] runs = new TransferRun[ENTRIES];
  private final MemorySegment vectors;
  private @Nullable MemorySegment registered;
  private int failure;

  /// The number of staged operations that have not completed yet.
  private int pending;

  private boolean writing;

  /// The result of the last transfer of the bounce buffer, which is a number of bytes or a negative
  /// errno.
  private int moved;

  private final RingDriver.Sink completions = this::completed;
  private final RingDriver.Sink bounced = (_, result, _) -> moved = result;

  private UringLane(int fd, int sectorBytes, IoUring ring, Mapping bounce) {
    this.fd = fd;
    this.sectorBytes = sectorBytes;
    this.ring = ring;
    driver = new RingDriver(ring);
    this.bounce = bounce;
    vectors = Arena.ofAuto().allocate((long) IoVec.LIMIT * IoVec.SIZE, Long.BYTES);
    for (int i = 0; i < ENTRIES; i++) {
      runs[i] = new TransferRun(sectorBytes);
    }
  }

  static UringLane open(int fd, int sectorBytes) throws IOException {
    Mapping bounce = Mapping.anonymous(BOUNCE_BYTES, false);
    try {
      return new UringLane(fd, sectorBytes, IoUring.open(ENTRIES, ENTRIES * 2, 0), bounce);
    } catch (IOException noRing) {
      bounce.close();
      throw noRing;
    }
  }

  /// Pins memory that outlives its use by the ring. It replaces any memory that was registered
  /// before.
  void register(MemorySegment region) throws IOException {
    lock.lock();
    try {
      if (registered != null) {
        ring.unregisterBuffers();
        registered = null;
      }
      if (region.byteSize() > MOST_REGISTERED) {
        throw FsException.of(Errno.EFAULT, "a registered buffer is 1 GiB at most");
      }
      ring.registerBuffer(region);
      registered = region;
    } finally {
      lock.unlock();
    }
  }

  void run(Transfer[] transfers, int count, boolean write) throws IOException {
    for (int from = 0; from < count; ) {
      from = window(transfers, from, count, write);
    }
  }

  /// Performs as many transfers as fit into the ring and the vectors.
  ///
  /// @return the index of the next transfer to perform
  private int window(Transfer[] transfers, int from, int count, boolean write) throws IOException {
    failure = 0;
    int operations = 0;
    int vectorsUsed = 0;
    int next = from;
    while (next < count && operations < ENTRIES && vectorsUsed < IoVec.LIMIT) {
      if (transfers[next].bytes() > 0 && aligned(transfers[next])) {
        int most = Math.min(RUN_TRANSFERS, IoVec.LIMIT - vectorsUsed);
        TransferRun run = runs[operations];
        run.begin(transfers, next, Math.min(count, next + most), vectorsUsed);
        stage(run, operations, write);
        operations++;
        vectorsUsed += run.end() - next;
        next = run.end();
      } else {
        next++;
      }
    }
    await(operations, write);
    for (int i = from; i < next && failure == 0; i++) {
      if (!aligned(transfers[i])) {
        bounced(transfers[i], write);
      }
    }
    if (failure != 0) {
      throw SysException.of(failure, write ? "pwrite" : "pread", fd, "io_uring");
    }
    return next;
  }

  private boolean aligned(Transfer t) {
    return TransferRun.aligned(t, sectorBytes);
  }

  /// Waits for all staged operations. The kernel uses their memory until they have completed, even
  /// if one of them has failed.
  private void await(int staged, boolean write) throws IOException {
    pending = staged;
    writing = write;
    while (pending > 0) {
      awaitCompletion();
      driver.drain(completions);
    }
  }

  private void awaitCompletion() throws IOException {
    int failed = driver.await();
    if (failed != 0) {
      throw SysException.of(-failed, "io_uring_enter", fd);
    }
  }

  private void completed(long userData, int result, int flags) {
    int i = (int) userData - 1;
    boolean again = result == -Errno.EINTR || result == -Errno.EAGAIN;
    if (result <= 0 && !again) {
      failure = result == 0 ? Errno.EIO : -result;
      pending--;
    } else if (!again && runs[i].advance(result)) {
      pending--;
    } else {
      stage(runs[i], i, writing);
    }
  }

  /// Stages an operation for the remaining bytes of a run.
  private void stage(TransferRun run, int i, boolean write) {
    SubmissionQueue queue = ring.submission();
    int entries = run.fill(vectors);
    int bytes = run.restBytes();
    long position = run.restPosition();
    MemorySegment region = registered;
    long offset = region == null ? 0 : run.restAddress() - region.address();
    if (region != null && entries == 1 && offset >= 0 && offset + bytes <= region.byteSize()) {
      if (write) {
        queue.writeFixed(fd, region, offset, bytes, position, i + 1L);
      } else {
        queue.readFixed(fd, region, offset, bytes, position, i + 1L);
      }
    } else if (write) {
      queue.writeVector(fd, vectors, run.vectorAt(), entries, position, i + 1L);
    } else {
      queue.readVector(fd, vectors, run.vectorAt(), entries, position, i + 1L);
    }
  }

  private void bounced(Transfer t, boolean write) throws IOException {
    for (int at = 0; at < t.bytes() && failure == 0; at += BOUNCE_BYTES) {
      int bytes = Math.min(BOUNCE_BYTES, t.bytes() - at);
      MemorySegment user = t.block().segment();
      if (write) {
        MemorySegment.copy(user, t.offset() + at, bounce.segment(), 0, bytes);
      }
      viaBounce(t.position() + at, bytes, write);
      if (!write && failure == 0) {
        MemorySegment.copy(bounce.segment(), 0, user, t.offset() + at, bytes);
      }
    }
  }

  /// Transfers all bytes of the bounce buffer.
  private void viaBounce(long position, int bytes, boolean write) throws IOException {
    for (int at = 0; at < bytes && failure == 0; ) {
      if (write) {
        ring.submission().write(fd, bounce.segment(), at, bytes - at, position + at, 1);
      } else {
        ring.submission().read(fd, bounce.segment(), at, bytes - at, position + at, 1);
      }
      awaitCompletion();
      driver.drain(bounced);
      int result = moved;
      if (result > 0) {
        at += result;
      } else if (result != -Errno.EINTR && result != -Errno.EAGAIN) {
        failure = result == 0 ? Errno.EIO : -result;
      }
    }
  }

  @Override
  public void close() {
    ring.close();
    bounce.close();
  }
}
