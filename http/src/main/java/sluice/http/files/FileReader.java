package sluice.http.files;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Reads a consistent version of an open file.
///
/// It may be called by any thread that may block on the disk.
///
/// **One version.** `statx`, barrier, read everything, `statx`; both must return the same inode,
/// size, modification time and change time. Since a write sets the times before it copies bytes, a
/// write that begins after the first `statx` is detected by the second. The barrier
/// ([FileHandle#settle]) waits for writes that began earlier.
///
/// **Quiet time.** If a file was modified less than [#QUIET_NANOS] ago, the reader waits for that
/// time to elapse, up to [#MOST_QUIET_NANOS] in total. For a file that is streamed from disk, any
/// change is considered. Programs that rewrite a file in place perform several writes, and each of
/// them would produce a version. The pause also separates two writes within the same clock tick of
/// a kernel without fine-grained timestamps (before 6.13).
public final class FileReader {
  public static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  static final long MOST_QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int READ_BYTES = 1 << 20;

  /// @param errno 0, or the reason why the file could not be read, which is `ESTALE` if it changed
  ///   during the read
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

  /// Reads the file into memory. If the file is larger than `cacheableBytes` or the account is
  /// exhausted, the result takes ownership of the handle instead. In all other cases the handle is
  /// closed.
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

  /// Waits for a limited time until the file is no longer being written to, and stores its status.
  private int quietStatus(FileHandle handle, FileStatus into, long cacheableBytes) {
    long waited = 0;
    while (true) {
      int errno = handle.status(into);
      if (errno != 0) {
        return errno;
      }
      long now = clock.nowNanos();
      long pause = untilQuiet(now - into.modifiedAt());
      if (into.sizeBytes > cacheableBytes) { // its tag is made only of the times
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

  /// Returns the time that remains until a timestamp is old enough.
  ///
  /// @param age the age of the timestamp, which is negative if it is in the future, in which case
  ///   waiting is useless
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

  /// Waits before another attempt for 1 ms, 2 ms, 4 ms, and so on up to 32 ms.
  void backOff(int attempt) {
    clock.pause(TimeUnit.MILLISECONDS.toNanos(1L << Math.min(attempt - 1, 5)));
  }
}
