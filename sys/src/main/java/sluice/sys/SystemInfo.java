package sluice.sys;

import java.io.IOException;
import java.nio.file.Path;

/// What the machine says about itself, for diagnosis.
///
/// Without state: any thread may call. Reads `/proc`; where that is missing the answer says so.
public final class SystemInfo {
  private static final Path SYSCTL = Path.of("/proc/sys");

  private SystemInfo() {}

  /// The kernel's release, such as `6.18.44`; empty when unknown.
  public static String kernelRelease() {
    return sysctl("kernel.osrelease");
  }

  /// `kernel.io_uring_disabled`: 0 any user may, 1 only a group and the administrator, 2 none; -1
  /// when the kernel has no such setting (before 6.6).
  public static int ioUringDisabled() {
    String value = sysctl("kernel.io_uring_disabled");
    return value.isEmpty() ? -1 : Integer.parseInt(value);
  }

  /// A sysctl.
  ///
  /// @param name with dots
  /// @return its value without surrounding space, empty when it cannot be read
  public static String sysctl(String name) {
    try {
      return java.nio.file.Files.readString(SYSCTL.resolve(name.replace('.', '/'))).strip();
    } catch (IOException unreadable) {
      return "";
    }
  }

  /// Whether a seccomp filter binds this process.
  public static boolean seccompFiltered() {
    try {
      return java.nio.file.Files.readAllLines(Path.of("/proc/self/status")).stream()
          .anyMatch(line -> line.startsWith("Seccomp:") && line.endsWith("2"));
    } catch (IOException unreadable) {
      return false;
    }
  }

  /// Raises the number of descriptors as far as allowed.
  ///
  /// @return what is in force now
  public static ResourceLimit raiseDescriptors(long wanted) throws SysException {
    return ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, wanted);
  }
}
