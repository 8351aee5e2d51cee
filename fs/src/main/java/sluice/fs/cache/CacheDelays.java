package sluice.fs.cache;

/// The delays after which a cache and its journal act on their own. Instances are immutable and
/// thread-safe.
///
/// @param oldMillis the maximum age of a change that is only in memory, at least 1
/// @param frameMillis the maximum time to wait for a frame when all frames are leased or changed
public record CacheDelays(long oldMillis, long frameMillis) {
  public static final CacheDelays USUAL = new CacheDelays(5_000, 10_000);
}
