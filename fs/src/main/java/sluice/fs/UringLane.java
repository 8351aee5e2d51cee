package sluice.fs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.BlockDevice.Transfer;
import sluice.sys.CompletionQueue;
import sluice.sys.Errno;
import sluice.sys.IoUring;
import sluice.sys.Mapping;
import sluice.sys.SubmissionQueue;
import sluice.sys.SysException;

/// One ring of a [UringDevice]. Of the thread that holds its lock, until its transfers are
/// complete.
final class UringLane implements AutoCloseable {
  private static final int ENTRIES = 64;

  /// For memory that the device cannot take as it lies.
  private static final int BOUNCE_BYTES = 1 << 18;

  /// Most the kernel registers as one buffer.
  private static final long MOST_REGISTERED = 1L << 30;

  final ReentrantLock lock = new ReentrantLock();
  private final int fd;
  private final int sectorBytes;
  private final IoUring ring;
  private final Mapping bounce;
  private final int[] done = new int[ENTRIES];
  private @Nullable MemorySegment registered;
  private int failure;

  private UringLane(int fd, int sectorBytes, IoUring ring, Mapping bounce) {
    this.fd = fd;
    this.sectorBytes = sectorBytes;
    this.ring = ring;
    this.bounce = bounce;
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

  /// Pins memory that outlives the ring's use of it; takes the place of what was registered before.
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
    for (int from = 0; from < count; from += ENTRIES) {
      window(transfers, from, Math.min(ENTRIES, count - from), write);
    }
  }

  private void window(Transfer[] transfers, int from, int count, boolean write) throws IOException {
    failure = 0;
    int pending = 0;
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[from + i];
      done[i] = 0;
      if (aligned(t)) {
        stage(t, i, write);
        pending++;
      }
    }
    await(transfers, from, pending, write);
    for (int i = 0; i < count && failure == 0; i++) {
      Transfer t = transfers[from + i];
      if (!aligned(t)) {
        bounced(t, write);
      }
    }
    if (failure != 0) {
      throw SysException.of(failure, write ? "pwrite" : "pread", fd, "io_uring");
    }
  }

  private boolean aligned(Transfer t) {
    return ((t.block().segment().address() + t.offset()) & (sectorBytes - 1)) == 0;
  }

  /// Waits for everything that is staged: the kernel uses the memory until then, whatever fails.
  private void await(Transfer[] transfers, int from, int staged, boolean write) throws IOException {
    int pending = staged;
    CompletionQueue completions = ring.completion();
    while (pending > 0) {
      int entered = ring.enter(1, -1);
      if (entered < 0 && entered != -Errno.EINTR && entered != -Errno.EAGAIN) {
        throw SysException.of(-entered, "io_uring_enter", fd);
      }
      int available = completions.available();
      for (int c = 0; c < available; c++) {
        int i = (int) completions.userData(c) - 1;
        pending -= completed(transfers[from + i], i, completions.result(c), write) ? 1 : 0;
      }
      completions.advance(available);
    }
  }

  /// @return false when the rest was staged again
  private boolean completed(Transfer t, int i, int result, boolean write) {
    if (result == -Errno.EINTR || result == -Errno.EAGAIN) {
      stage(t, i, write);
      return false;
    }
    if (result <= 0) {
      failure = result == 0 ? Errno.EIO : -result;
      return true;
    }
    done[i] += result;
    if (done[i] < t.bytes()) {
      stage(t, i, write);
      return false;
    }
    return true;
  }

  private void stage(Transfer t, int i, boolean write) {
    stage(
        t.block().segment(),
        t.offset() + done[i],
        t.bytes() - done[i],
        t.position() + done[i],
        i,
        write);
  }

  private void stage(
      MemorySegment memory, long offset, int bytes, long position, int i, boolean write) {
    SubmissionQueue queue = ring.submission();
    if (isRegistered(memory, offset, bytes)) {
      if (write) {
        queue.writeFixed(fd, memory, offset, bytes, position, i + 1L);
      } else {
        queue.readFixed(fd, memory, offset, bytes, position, i + 1L);
      }
    } else if (write) {
      queue.write(fd, memory, offset, bytes, position, i + 1L);
    } else {
      queue.read(fd, memory, offset, bytes, position, i + 1L);
    }
  }

  private boolean isRegistered(MemorySegment memory, long offset, int bytes) {
    MemorySegment region = registered;
    if (region == null) {
      return false;
    }
    long from = memory.address() + offset - region.address();
    return from >= 0 && from + bytes <= region.byteSize();
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

  /// One transfer of the bounce memory, whole.
  private void viaBounce(long position, int bytes, boolean write) throws IOException {
    CompletionQueue completions = ring.completion();
    for (int at = 0; at < bytes && failure == 0; ) {
      stage(bounce.segment(), at, bytes - at, position + at, 0, write);
      int result = 0;
      boolean complete = false;
      while (!complete) {
        int entered = ring.enter(1, -1);
        if (entered < 0 && entered != -Errno.EINTR && entered != -Errno.EAGAIN) {
          throw SysException.of(-entered, "io_uring_enter", fd);
        }
        if (completions.available() > 0) {
          result = completions.result(0);
          completions.advance(1);
          complete = true;
        }
      }
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
