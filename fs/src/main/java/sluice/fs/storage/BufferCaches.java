package sluice.fs.storage;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.cache.CacheDelays;
import sluice.fs.cache.FrameCache;
import sluice.memory.Account;

/// Opens buffer caches. This class is thread-safe.
public final class BufferCaches {
  private BufferCaches() {}

  /// Opens a cache on a device. The caller retains ownership of the device and must close it after
  /// the cache.
  ///
  /// @param blockBytes the block size, which is 1024, 2048 or 4096
  /// @param cacheBytes the amount of memory for at least 64 blocks; it is allocated immediately but
  ///   not accessed until it is needed
  public static BufferCache open(BlockDevice device, int blockBytes, long cacheBytes)
      throws IOException {
    return open(device, blockBytes, cacheBytes, new Account("buffer cache", cacheBytes));
  }

  /// Opens a cache whose memory is charged to an account until the last lease of a block has been
  /// released.
  ///
  /// @throws FsException `ENOMEM` if the account does not have enough room
  public static BufferCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account) throws IOException {
    return FrameCache.open(device, blockBytes, cacheBytes, account, CacheDelays.USUAL);
  }
}
