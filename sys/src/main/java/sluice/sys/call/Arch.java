package sluice.sys.call;

import java.util.Locale;

/// Processor architectures whose call numbers and structure layouts this module knows.
///
/// Immutable: any thread may use it. On [#OTHER], and on systems that are not Linux, every system
/// call of this module answers `-ENOSYS`.
public enum Arch {
  X86_64,
  AARCH64,
  /// Not Linux, or a processor without a table here.
  OTHER;

  private static final Arch CURRENT = detect();

  /// The architecture this process runs on.
  public static Arch current() {
    return CURRENT;
  }

  /// Chooses a value that differs between the architectures.
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
