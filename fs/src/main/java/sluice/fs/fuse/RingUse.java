package sluice.fs.fuse;

/// Determines whether the requests of a FUSE mount use io_uring. This enum is thread-safe.
public enum RingUse {
  /// Uses io_uring if it is enabled in the kernel (`enable_uring` of the module `fuse`), and
  /// read(2) otherwise.
  AUTO,

  /// Requires io_uring. If it is not available, the mount fails.
  ON,

  /// Uses read(2) and write(2) for requests and replies.
  OFF
}
