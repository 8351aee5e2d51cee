package sluice.fs.block;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.Errno;

/// Opens buffer caches. Any thread may call.
public final class BufferCaches {
  private static final int FEWEST_FRAMES = 64;

  private BufferCaches() {}

  /// A cache over a device, which stays the caller's: close it after the cache.
  ///
  /// @param blockBytes 1024, 2048 or 4096
  /// @param cacheBytes memory for blocks, at least 64 blocks; taken at once, touched when needed
  public static BufferCache open(BlockDevice device, int blockBytes, long cacheBytes)
      throws IOException {
    return open(device, blockBytes, cacheBytes, new Account("buffer cache", cacheBytes));
  }

  /// As the other, charged to an account until the last lease on a block ends.
  ///
  /// @throws FsException `ENOMEM` when the account has no room
  public static BufferCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account) throws IOException {
    return open(device, blockBytes, cacheBytes, account, CacheTimes.USUAL);
  }

  /// As the others, with times of its own.
  static BufferCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account, CacheTimes times)
      throws IOException {
    if (blockBytes != 1024 && blockBytes != 2048 && blockBytes != 4096) {
      throw new IllegalArgumentException("blocks are 1024, 2048 or 4096 bytes, not " + blockBytes);
    }
    if (device.sectorBytes() > blockBytes) {
      throw FsException.of(
          Errno.EINVAL,
          "blocks of "
              + blockBytes
              + " bytes are smaller than the device's sectors of "
              + device.sectorBytes());
    }
    long frames = cacheBytes / blockBytes;
    if (frames < FEWEST_FRAMES || frames > Integer.MAX_VALUE / 8) {
      throw new IllegalArgumentException(
          "a cache has " + FEWEST_FRAMES + " blocks or more, not " + frames);
    }
    return FrameCache.open(device, blockBytes, (int) frames, account, times);
  }
}
