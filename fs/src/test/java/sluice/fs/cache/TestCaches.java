package sluice.fs.cache;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.memory.Account;
import sluice.testbase.Await;

/// Buffer caches for tests that control what is on the device and what is not yet. Neither these
/// caches nor the journals over them write anything because of its age, however long the test's
/// thread gets no processor. A wait for a frame lasts as long as any other wait of a test. Safe for
/// use by any thread.
public final class TestCaches {
  private static final CacheDelays TIMES =
      new CacheDelays(TimeUnit.HOURS.toMillis(1), TimeUnit.SECONDS.toMillis(Await.SECONDS));

  private TestCaches() {}

  public static BufferCache open(BlockDevice device, int blockBytes, long cacheBytes)
      throws IOException {
    return open(device, blockBytes, cacheBytes, new Account("test cache", cacheBytes));
  }

  public static BufferCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account) throws IOException {
    return FrameCache.open(device, blockBytes, cacheBytes, account, TIMES);
  }
}
