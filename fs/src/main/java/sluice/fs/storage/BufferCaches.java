package sluice.fs.storage;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.cache.CacheDelays;
import sluice.fs.cache.FrameCache;
import sluice.memory.Account;

/// Opens buffer caches. Safe for use by any thread.
public final class BufferCaches {
  private BufferCaches() {}

  /// Opens a cache on a device. The caller keeps the device and closes it after the cache.
  ///
  /// @param blockBytes 1024, 2048 or 4096
  /// @param cacheBytes memory for blocks, at least 64 blocks; allocated at once, touched when
  ///   needed
  public static BufferCache open(BlockDevice device, int blockBytes, long cacheBytes)
      throws IOException {
    return open(device, blockBytes, cacheBytes, new Account("buffer cache", cacheBytes));
  }

  /// Opens a cache whose memory is charged to an account until the last lease of a block ends.
  ///
  /// @throws FsException `ENOMEM` if the account has no room
  public static BufferCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account) throws IOException {
    return FrameCache.open(device, blockBytes, cacheBytes, account, CacheDelays.USUAL);
  }
}
