package sluice.sys.call;

import java.util.Locale;

/// The processor architectures whose call numbers and structure layouts this module knows.
///
/// Immutable and safe for use by any thread. On [#OTHER], and on systems other than Linux, every
/// system call of this module returns `-ENOSYS`.
public enum Arch {
  X86_64,
  AARCH64,
  /// Not Linux, or a processor without a table here.
  OTHER;

  private static final Arch CURRENT = detect();

  /// Returns the architecture on which this process runs.
  public static Arch current() {
    return CURRENT;
  }

  /// Selects a value that differs between the architectures.
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
