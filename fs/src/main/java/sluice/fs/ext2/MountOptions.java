package sluice.fs.ext2;

/// The options of a mount. Immutable and safe for use by any thread.
///
/// @param readOnly true to change nothing; blocks that a crash has left in a log are read from the
///   log
/// @param accessTimes true to update access times: once a day and after each change (`relatime`)
/// @param cacheBytes memory for blocks
/// @param inodes number of inodes kept in memory, about 300 bytes each
/// @param dentries number of names kept in memory, a power of two
/// @param mapPages number of pages of block maps kept in memory, 1 KiB for each 256 blocks of
///   content, a power of two
/// @param indexBytes memory for indexes of large directories
public record MountOptions(
    boolean readOnly,
    boolean accessTimes,
    long cacheBytes,
    int inodes,
    int dentries,
    int mapPages,
    long indexBytes) {

  /// Returns the default options: writable, `relatime`, 64 MiB for blocks.
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
