package sluice.fs.cache;

/// How long a cache, and the journal over it, wait before they do what no caller has asked for.
/// Immutable; any thread may call.
///
/// @param oldMillis how long a change may stay in memory only, at least 1
/// @param frameMillis how long a frame is waited for when all are leased or changed
public record CacheDelays(long oldMillis, long frameMillis) {
  public static final CacheDelays USUAL = new CacheDelays(5_000, 10_000);
}
