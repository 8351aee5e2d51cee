package sluice.fs.fuse;

/// The options of a FUSE mount. Instances are immutable and thread-safe.
///
/// @param source the device that is shown in mount tables, such as the path of the image
/// @param readOnly true to make the kernel reject all changes
/// @param trusted true to enable device files and set-user-id programs of the tree (mount options
///   `dev` and `suid`); this is safe only if all changes are made through this mount, because
///   otherwise a program can be overwritten while it runs
/// @param threads the number of threads that handle requests, 1 to 64
/// @param validSeconds the time for which the kernel may cache names and attributes, if all changes
///   are made through this mount; it must be 0 if there are other changes, even through the same
///   object (`java.nio.file`, NFS, another mount), in which case the kernel caches neither content
///   nor listings; it is treated as 0 for a tree whose files can be changed elsewhere
///   ([sluice.fs.FileTree#changesOnlyHere])
/// @param rings determines whether requests use io_uring
/// @param stability the durability guarantees for an unmount, a sync and a close
public record FuseOptions(
    String source,
    boolean readOnly,
    boolean trusted,
    int threads,
    long validSeconds,
    RingUse rings,
    FuseStability stability) {
  private static final int MAX_THREADS = 64;

  public FuseOptions {
    if (threads < 1 || threads > MAX_THREADS) {
      throw new IllegalArgumentException("threads must be 1 to " + MAX_THREADS + ": " + threads);
    }
    if (validSeconds < 0) {
      throw new IllegalArgumentException("validSeconds must not be negative: " + validSeconds);
    }
  }

  /// Returns the default options: a mount that is writable and not trusted.
  public static FuseOptions of(String source) {
    return new FuseOptions(source, false, false, 4, 86_400, RingUse.AUTO, FuseStability.NONE);
  }

  public FuseOptions withReadOnly(boolean only) {
    return new FuseOptions(source, only, trusted, threads, validSeconds, rings, stability);
  }

  public FuseOptions withTrusted(boolean believed) {
    return new FuseOptions(source, readOnly, believed, threads, validSeconds, rings, stability);
  }

  public FuseOptions withThreads(int count) {
    return new FuseOptions(source, readOnly, trusted, count, validSeconds, rings, stability);
  }

  public FuseOptions withValidSeconds(long seconds) {
    return new FuseOptions(source, readOnly, trusted, threads, seconds, rings, stability);
  }

  public FuseOptions withRings(RingUse use) {
    return new FuseOptions(source, readOnly, trusted, threads, validSeconds, use, stability);
  }

  public FuseOptions withStability(FuseStability wanted) {
    return new FuseOptions(source, readOnly, trusted, threads, validSeconds, rings, wanted);
  }
}
