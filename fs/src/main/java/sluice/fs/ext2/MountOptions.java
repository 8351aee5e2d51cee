package sluice.fs.ext2;

/// How to mount an image. Immutable: any thread may use it.
///
/// @param readOnly nothing is changed: what a crash has left in a log is read from there
/// @param accessTimes whether reading is noted, once a day and after each change (`relatime`)
/// @param cacheBytes memory for blocks
/// @param inodes inodes kept in memory, about 300 bytes each
/// @param dentries names kept in memory, a power of two
/// @param mapPages pieces of block maps kept in memory, 1 KiB for each 256 blocks of content, a
///   power of two
/// @param indexBytes memory for indexes of large directories
public record MountOptions(
    boolean readOnly,
    boolean accessTimes,
    long cacheBytes,
    int inodes,
    int dentries,
    int mapPages,
    long indexBytes) {

  /// Writable, `relatime`, 64 MiB for blocks.
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
