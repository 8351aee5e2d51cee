package sluice.fs.fuse;

/// Whether the requests of a FUSE mount come through io_uring. Constants: any thread may use them.
public enum RingUse {
  /// Where the kernel has it switched on (`enable_uring` of its module `fuse`), else by read(2).
  AUTO,

  /// Always: where it is not to be had, mounting is refused.
  ON,

  /// Never: each request is read and each answer written.
  OFF
}
