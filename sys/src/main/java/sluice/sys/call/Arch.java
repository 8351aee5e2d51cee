package sluice.sys.call;

import java.util.Locale;

/// The processor architectures whose system call numbers and structure layouts are known to this
/// module.
///
/// This enum is immutable and thread-safe. On [#OTHER], and on operating systems other than Linux,
/// every system call of this module returns `-ENOSYS`.
public enum Arch {
  X86_64,
  AARCH64,
  /// An operating system other than Linux, or a processor that is not supported by this module.
  OTHER;

  private static final Arch CURRENT = detect();

  /// Returns the architecture on which this process runs.
  public static Arch current() {
    return CURRENT;
  }

  /// Returns the value that applies to the current architecture.
  public static int choose(int x86Value, int armValue) {
    return CURRENT == AARCH64 ? armValue : x86Value;
  }

  private static Arch detect() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return OTHER;
    }
    return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64" -> AARCH64;
      default -> OTHER;
    };
  }
}
