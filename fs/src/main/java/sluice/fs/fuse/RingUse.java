package sluice.fs.fuse;

/// The use of io_uring for the requests of a FUSE mount. Constants, safe for use by any thread.
public enum RingUse {
  /// Uses io_uring if the kernel has it enabled (`enable_uring` of its module `fuse`), else
  /// read(2).
  AUTO,

  /// Requires io_uring: if it is unavailable, mounting fails.
  ON,

  /// Uses read(2) and write(2) for requests and replies.
  OFF
}
