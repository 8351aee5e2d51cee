package sluice.fs.fuse;

/// The options of a FUSE mount. Immutable and safe for use by any thread.
///
/// @param source the device shown in mount tables, such as the image's path
/// @param readOnly true to make the kernel reject changes
/// @param trusted true to enable device files and set-user-id programs of the tree (mount options
///   `dev`, `suid`): only if all changes come through this mount, because nothing else prevents a
///   program from being overwritten while it runs
/// @param threads number of threads that handle requests, 1 to 64
/// @param validSeconds the time for which the kernel may cache names and attributes, if all changes
///   come through this mount. 0 if there are other changes, also through the same object
///   (`java.nio.file`, NFS, another mount): the kernel then caches nothing, neither content nor
///   listings. For a tree whose files change elsewhere ([sluice.fs.FileTree#changesOnlyHere]) the
///   value counts as 0
/// @param rings the use of io_uring for requests
/// @param stability the guarantees after an unmount, a sync and a close
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

  /// Returns the default options: writable, not trusted.
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
