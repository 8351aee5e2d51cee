package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A cache that delegates to another cache, so that a test can override single operations. Safe for
/// use by any thread.
class CacheOverCache implements BufferCache {
  private final BufferCache cache;

  CacheOverCache(BufferCache cache) {
    this.cache = cache;
  }

  /// Returns the underlying cache, over which a journal is opened.
  BufferCache under() {
    return cache;
  }

  @Override
  public int blockBytes() {
    return cache.blockBytes();
  }

  @Override
  public long blocks() {
    return cache.blocks();
  }

  @Override
  public Buffer read(long block) throws IOException {
    return cache.read(block);
  }

  @Override
  public @Nullable Buffer cached(long block) {
    return cache.cached(block);
  }

  @Override
  public int copy(long block, int offset, Memory into, long at, int count) {
    return cache.copy(block, offset, into, at, count);
  }

  @Override
  public @Nullable Block lease(long block) {
    return cache.lease(block);
  }

  @Override
  public long peekInt(long block, int offset) {
    return cache.peekInt(block, offset);
  }

  @Override
  public void readAhead(long first, int count) {
    cache.readAhead(first, count);
  }

  @Override
  public void writeBack(long bytes) throws IOException {
    cache.writeBack(bytes);
  }

  @Override
  public void sync() throws IOException {
    cache.sync();
  }

  @Override
  public long dirtyBytes() {
    return cache.dirtyBytes();
  }

  @Override
  public void close() throws IOException {
    cache.close();
  }
}
