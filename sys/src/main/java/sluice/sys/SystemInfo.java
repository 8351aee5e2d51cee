package sluice.sys;

import java.io.IOException;
import java.nio.file.Path;

/// Properties of the machine, for diagnosis.
///
/// Stateless and safe for use by any thread. Reads `/proc`; the results show if it is missing.
public final class SystemInfo {
  private static final Path SYSCTL = Path.of("/proc/sys");

  private SystemInfo() {}

  /// Returns the kernel's release, such as `6.18.44`; empty if unknown.
  public static String kernelRelease() {
    return sysctl("kernel.osrelease");
  }

  /// Returns `kernel.io_uring_disabled`: 0 any user may open rings, 1 only a group and the
  /// administrator, 2 no process; -1 if the kernel has no such setting (before 6.6).
  public static int ioUringDisabled() {
    String value = sysctl("kernel.io_uring_disabled");
    return value.isEmpty() ? -1 : Integer.parseInt(value);
  }

  /// Returns a sysctl.
  ///
  /// @param name the name with dots
  /// @return its value without surrounding space, empty if it cannot be read
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

  /// Raises the limit on descriptors as far as permitted.
  ///
  /// @return the limit in force now
  public static ResourceLimit raiseDescriptors(long wanted) throws SysException {
    return ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, wanted);
  }
}
