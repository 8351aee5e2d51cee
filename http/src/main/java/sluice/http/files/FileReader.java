package sluice.http.files;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Reads one version of an open file.
///
/// Called by any thread that may wait for the disk.
///
/// **One version.** `statx`, barrier, read everything, `statx`; the two must agree in inode, size,
/// modification and change time. A write sets the times before it copies bytes, so a write that
/// begins after the first `statx` shows in the second; a write that was under way already is waited
/// for by the barrier ([FileHandle#settle]).
///
/// **Quiet time.** A file modified less than [#QUIET_NANOS] ago (a file that stays on disk: changed
/// in any way) is given that long, up to [#MOST_QUIET_NANOS]: programs that rewrite a file in place
/// use several writes, and each of them would be a version. It is also what keeps two writes within
/// one tick of a kernel without fine-grained times (before 6.13) apart.
public final class FileReader {
  public static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  static final long MOST_QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int READ_BYTES = 1 << 20;

  /// @param errno 0, or why there is no body; `ESTALE` when the file was changed meanwhile
  record Result(int errno, @Nullable FileBody body) {
    static Result failed(int errno) {
      return new Result(Math.abs(errno), null);
    }
  }

  private final Account memory;
  private final FileClock clock;

  public FileReader(Account memory, FileClock clock) {
    this.memory = memory;
    this.clock = clock;
  }

  /// Reads the file into memory, or takes over its handle when it is larger than `cacheableBytes`
  /// or the account has no room. Closes the handle otherwise.
  Result read(FileHandle handle, long cacheableBytes) {
    FileStatus before = new FileStatus();
    boolean handedOver = false;
    try {
      int errno = quietStatus(handle, before, cacheableBytes);
      if (errno != 0) {
        return Result.failed(errno);
      }
      long seenNanos = clock.nowNanos();
      if (!before.isRegular()) {
        return Result.failed(Errno.ESTALE);
      }
      if (before.sizeBytes == 0) {
        return new Result(0, new FileBody(before, null, null, seenNanos));
      }
      Block block =
          before.sizeBytes > cacheableBytes ? null : Block.allocate(memory, before.sizeBytes);
      if (block == null) {
        handedOver = true;
        return new Result(0, new FileBody(before, null, new FileStream(handle, before), seenNanos));
      }
      errno = fill(handle, block, before);
      if (errno != 0) {
        block.release();
        return Result.failed(errno);
      }
      return new Result(0, new FileBody(before, block, null, seenNanos));
    } finally {
      if (!handedOver) {
        handle.close();
      }
    }
  }

  /// The status of a file that is not being written to, as far as that can be had.
  private int quietStatus(FileHandle handle, FileStatus into, long cacheableBytes) {
    long waited = 0;
    while (true) {
      int errno = handle.status(into);
      if (errno != 0) {
        return errno;
      }
      long now = clock.nowNanos();
      long pause = untilQuiet(now - into.modifiedAt());
      if (into.sizeBytes > cacheableBytes) { // its tag has nothing but the times
        pause = Math.max(pause, untilQuiet(now - into.changedAt()));
      }
      if (pause == 0 || waited >= MOST_QUIET_NANOS) {
        handle.settle();
        return 0;
      }
      clock.pause(pause);
      waited += pause;
    }
  }

  /// @param age of a stamp; negative when it lies in the future, which no waiting helps
  private static long untilQuiet(long age) {
    return age < 0 || age >= QUIET_NANOS ? 0 : QUIET_NANOS - age;
  }

  private static int fill(FileHandle handle, Block block, FileStatus before) {
    long at = 0;
    while (at < before.sizeBytes) {
      int length = (int) Math.min(READ_BYTES, before.sizeBytes - at);
      int count = handle.read(block.segment(), at, length, at);
      if (count == 0) {
        return Errno.ESTALE;
      }
      if (count < 0 && count != -Errno.EINTR) {
        return -count;
      }
      at += Math.max(count, 0);
    }
    FileStatus after = new FileStatus();
    int errno = handle.status(after);
    if (errno != 0) {
      return -errno;
    }
    return before.sameState(after) ? 0 : Errno.ESTALE;
  }

  /// Waits before another attempt: 1 ms, 2 ms, 4 ms, …
  void backOff(int attempt) {
    clock.pause(TimeUnit.MILLISECONDS.toNanos(1L << Math.min(attempt - 1, 5)));
  }
}
