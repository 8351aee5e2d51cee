package sluice.fs.fuse;

/// How to mount a tree through FUSE. Immutable: any thread may use it.
///
/// @param source shown as the device, such as the image's path
/// @param readOnly the kernel refuses changes
/// @param trusted device files and set-user-id programs of the tree work (mount options `dev`,
///   `suid`): only where all changes come through this mount, since nothing else can keep a program
///   from being overwritten while it runs
/// @param threads that answer the kernel, 1 to 64
/// @param validSeconds how long the kernel may use names and attributes without asking again, where
///   all changes come through this mount. 0 where they come in other ways too, be it through the
///   same object (`java.nio.file`, NFS, another mount): then the kernel remembers nothing, neither
///   content nor lists of directories, and asks for each. So it is, whatever is asked for, with a
///   tree whose files change elsewhere ([sluice.fs.FileTree#changesOnlyHere])
/// @param rings whether requests come through io_uring
/// @param stability what is stable after an unmount, a sync and a close
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

  /// Writable, not trusted.
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
