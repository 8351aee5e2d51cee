package sluice.fs.cache;

/// The delays of a cache and its journal: how long they wait before they act on their own.
/// Immutable and safe for use by any thread.
///
/// @param oldMillis the maximum age of a change that is only in memory, at least 1
/// @param frameMillis the time to wait for a frame when all are leased or changed
public record CacheDelays(long oldMillis, long frameMillis) {
  public static final CacheDelays USUAL = new CacheDelays(5_000, 10_000);
}
