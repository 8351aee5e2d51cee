package sluice.fs.ext2;

/// The options of a mount. Instances are immutable and thread-safe.
///
/// @param readOnly true to mount the image read-only; blocks that were left in a log by a crash are
///   read from the log
/// @param accessTimes true to update access times once a day and after each change (`relatime`)
/// @param cacheBytes the amount of memory for cached blocks
/// @param inodes the number of inodes that are cached in memory, each of which requires about 300
///   bytes
/// @param dentries the number of names that are cached in memory, a power of two
/// @param mapPages the number of cached pages of block maps, a power of two; a page requires 1 KiB
///   and maps 256 blocks of content
/// @param indexBytes the amount of memory for the indexes of large directories
public record MountOptions(
    boolean readOnly,
    boolean accessTimes,
    long cacheBytes,
    int inodes,
    int dentries,
    int mapPages,
    long indexBytes) {

  /// Returns the default options: a writable mount with `relatime` and 64 MiB for cached blocks.
  public static MountOptions defaults() {
    return new MountOptions(false, true, 64L << 20, 16_384, 32_768, 4_096, 32L << 20);
  }

  public MountOptions withReadOnly(boolean only) {
    return new MountOptions(only, accessTimes, cacheBytes, inodes, dentries, mapPages, indexBytes);
  }

  public MountOptions withAccessTimes(boolean noted) {
    return new MountOptions(readOnly, noted, cacheBytes, inodes, dentries, mapPages, indexBytes);
  }

  public MountOptions withCacheBytes(long bytes) {
    return new MountOptions(readOnly, accessTimes, bytes, inodes, dentries, mapPages, indexBytes);
  }

  public MountOptions withInodes(int count) {
    return new MountOptions(
        readOnly, accessTimes, cacheBytes, count, dentries, mapPages, indexBytes);
  }

  public MountOptions withIndexBytes(long bytes) {
    return new MountOptions(readOnly, accessTimes, cacheBytes, inodes, dentries, mapPages, bytes);
  }
}
