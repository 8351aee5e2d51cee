package sluice.sys;

import java.io.IOException;
import java.nio.file.Path;

/// Properties of the machine that are useful for diagnosis.
///
/// This class is stateless and thread-safe. It reads `/proc`, and each method specifies its result
/// if `/proc` is not available.
public final class SystemInfo {
  private static final Path SYSCTL = Path.of("/proc/sys");

  private SystemInfo() {}

  /// Returns the release of the kernel, such as `6.18.44`, or an empty string if it is unknown.
  public static String kernelRelease() {
    return sysctl("kernel.osrelease");
  }

  /// Returns the value of `kernel.io_uring_disabled`: 0 if any user may open rings, 1 if only a
  /// group and the administrator may, 2 if no process may, or -1 if the kernel does not have the
  /// setting (before 6.6).
  public static int ioUringDisabled() {
    String value = sysctl("kernel.io_uring_disabled");
    return value.isEmpty() ? -1 : Integer.parseInt(value);
  }

  /// Returns the value of a sysctl.
  ///
  /// @param name the name, with dots as separators
  /// @return the value without surrounding whitespace, or an empty string if it cannot be read
  public static String sysctl(String name) {
    try {
      return java.nio.file.Files.readString(SYSCTL.resolve(name.replace('.', '/'))).strip();
    } catch (IOException unreadable) {
      return "";
    }
  }

  /// Returns true if a seccomp filter applies to this process.
  public static boolean seccompFiltered() {
    try {
      return java.nio.file.Files.readAllLines(Path.of("/proc/self/status")).stream()
          .anyMatch(line -> line.startsWith("Seccomp:") && line.endsWith("2"));
    } catch (IOException unreadable) {
      return false;
    }
  }

  /// Raises the limit on open descriptors as far as this is permitted.
  ///
  /// @return the resulting limit
  public static ResourceLimit raiseDescriptors(long wanted) throws SysException {
    return ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, wanted);
  }
}
