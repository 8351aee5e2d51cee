package sluice.sys;

import sluice.sys.call.Arch;

/// The bits of `open(2)` that differ between architectures.
///
/// This class is stateless and thread-safe.
final class OpenFlags {
  private OpenFlags() {}

  static int direct(Arch arch) {
    return arch == Arch.AARCH64 ? 0x10000 : 0x4000;
  }

  static int directory(Arch arch) {
    return arch == Arch.AARCH64 ? 0x4000 : 0x10000;
  }

  static int noFollow(Arch arch) {
    return arch == Arch.AARCH64 ? 0x8000 : 0x20000;
  }
}
