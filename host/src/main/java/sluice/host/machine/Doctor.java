package sluice.host.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Examines the machine in order to determine which features can be used by Sluice, which features
/// are blocked, and how this can be fixed. It only reads files and does not change anything. This
/// class is thread-safe.
///
/// The thresholds are the values at which a busy server reaches a limit. They are not minimum
/// requirements.
public final class Doctor {
  private static final long WANTED_FILES = 65_536;
  private static final long WANTED_MEMLOCK_BYTES = 8 << 20;
  private static final long WANTED_BACKLOG = 4_096;
  private static final long WANTED_WATCHES = 65_536;
  private static final long WANTED_WATCH_INSTANCES = 128;

  /// The number of the capability CAP_SYS_ADMIN.
  private static final int SYS_ADMIN = 21;

  private static final String MEMLOCK_FIX =
      "ulimit -l unlimited; systemd: LimitMEMLOCK=infinity; Docker: --ulimit memlock=-1:-1";

  private final MachineFiles files;
  private final RingProbe ring;

  /// A test that determines whether io_uring can be used.
  public interface RingProbe {
    /// Opens a ring and executes the operations that are required to start a server.
    ///
    /// @return empty if all operations succeed, otherwise the error of the kernel
    Optional<String> failure();
  }

  public Doctor(MachineFiles files, RingProbe ring) {
    this.files = files;
    this.ring = ring;
  }

  /// Returns all findings, in the order of their importance.
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    findings.add(kernel());
    findings.add(jdk());
    findings.add(ioUring());
    findings.add(epoll());
    findings.add(openFiles());
    findings.add(lockedMemory());
    backlog().ifPresent(findings::add);
    findings.add(inotify());
    findings.add(fuse());
    hugePages().ifPresent(findings::add);
    findings.add(cgroupMemory());
    findings.add(cgroupCpu());
    return findings;
  }

  private boolean isLinux() {
    return files.text("proc/sys/kernel/osrelease").isPresent();
  }

  /// Returns true if a kernel release, such as `6.1.0-32-amd64`, is at least version `major.minor`.
  static boolean isAtLeast(String release, int major, int minor) {
    String[] parts = release.split("[^0-9]+", 3);
    try {
      int found = Integer.parseInt(parts[0]);
      return found > major || (found == major && Integer.parseInt(parts[1]) >= minor);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return false;
    }
  }

  private Finding kernel() {
    String arch = System.getProperty("os.arch", "unknown");
    Optional<String> release = files.text("proc/sys/kernel/osrelease");
    if (release.isEmpty()) {
      return Finding.limited(
          "kernel",
          "not Linux (" + System.getProperty("os.name") + " " + arch + ")",
          "nothing to fix: the jdk backend runs here; the other backends need Linux");
    }
    String found = "Linux " + release.get() + " " + arch;
    if (!arch.equals("amd64") && !arch.equals("aarch64")) {
      return Finding.limited(
          "kernel", found, "nothing to fix: off x86-64 and aarch64 the jdk backend runs");
    }
    return isAtLeast(release.get(), 6, 1)
        ? Finding.available("kernel", found)
        : Finding.limited(
            "kernel", found, "use Linux 6.1 or later: the ring needs it; epoll runs here");
  }

  private static Finding jdk() {
    return Finding.available(
        "jdk",
        System.getProperty("java.vm.name")
            + " "
            + Runtime.version()
            + ", "
            + System.getProperty("java.home"));
  }

  private Finding ioUring() {
    String name = "io_uring";
    if (!isLinux()) {
      return Finding.blocked(name, "only Linux has it", "nothing to fix: the jdk backend runs");
    }
    Optional<String> failure = ring.failure();
    if (failure.isEmpty()) {
      return Finding.available(name, "a ring can be opened, self-test passed");
    }
    long disabled = files.number("proc/sys/kernel/io_uring_disabled").orElse(0);
    if (disabled != 0) {
      return Finding.blocked(
          name,
          "sysctl kernel.io_uring_disabled = " + disabled + "; " + failure.get(),
          disabled == 1
              ? "sysctl -w kernel.io_uring_disabled=0, or put the user's group into "
                  + "kernel.io_uring_group, or grant CAP_SYS_ADMIN"
              : "sysctl -w kernel.io_uring_disabled=0");
    }
    String seccomp = files.field("proc/self/status", "Seccomp").orElse("0");
    if (!seccomp.equals("0")) {
      return Finding.blocked(name, "a seccomp filter is active; " + failure.get(), SeccompFix.TEXT);
    }
    if (failure.get().contains("ENOMEM")) {
      return Finding.blocked(name, failure.get(), MEMLOCK_FIX);
    }
    return Finding.blocked(
        name,
        failure.get(),
        "use Linux 6.1 or later built with CONFIG_IO_URING; where a security module refuses, "
            + "allow io_uring in its policy");
  }

  private Finding epoll() {
    return isLinux()
        ? Finding.available("epoll", "part of every Linux kernel")
        : Finding.blocked("epoll", "only Linux has it", "nothing to fix: the jdk backend runs");
  }

  private Finding openFiles() {
    return limit(
        "open files",
        files.softLimit("Max open files"),
        WANTED_FILES,
        "ulimit -n 1048576; systemd: LimitNOFILE=1048576; Docker: --ulimit nofile=1048576:1048576");
  }

  private Finding lockedMemory() {
    return limit(
        "locked memory", files.softLimit("Max locked memory"), WANTED_MEMLOCK_BYTES, MEMLOCK_FIX);
  }

  private Optional<Finding> backlog() {
    OptionalLong found = files.number("proc/sys/net/core/somaxconn");
    return isLinux()
        ? Optional.of(
            limit(
                "accept queue",
                found,
                WANTED_BACKLOG,
                "sysctl -w net.core.somaxconn=" + WANTED_BACKLOG))
        : Optional.empty();
  }

  private Finding inotify() {
    if (!isLinux()) {
      return Finding.blocked(
          "inotify", "only Linux has it", "nothing to fix: each hit is checked by stat instead");
    }
    Finding watches =
        limit(
            "inotify",
            files.number("proc/sys/fs/inotify/max_user_watches"),
            WANTED_WATCHES,
            "sysctl -w fs.inotify.max_user_watches=524288");
    OptionalLong instances = files.number("proc/sys/fs/inotify/max_user_instances");
    if (instances.isPresent() && instances.getAsLong() < WANTED_WATCH_INSTANCES) {
      return Finding.limited(
          "inotify",
          "max_user_instances = " + instances.getAsLong(),
          "sysctl -w fs.inotify.max_user_instances=1024");
    }
    return watches;
  }

  private Finding fuse() {
    if (!isLinux()) {
      return Finding.blocked("fuse", "only Linux has it", "nothing to fix: fs ls and fs cp run");
    }
    if (!files.exists("dev/fuse")) {
      return Finding.blocked(
          "fuse",
          "no /dev/fuse: images cannot be mounted",
          "modprobe fuse; Docker: --device /dev/fuse --cap-add SYS_ADMIN");
    }
    String capabilities = files.field("proc/self/status", "CapEff").orElse("0");
    boolean mayMount = ((Long.parseUnsignedLong(capabilities, 16) >> SYS_ADMIN) & 1) != 0;
    return mayMount
        ? Finding.available("fuse", "/dev/fuse, and this user may mount")
        : Finding.limited(
            "fuse",
            "/dev/fuse; mounting needs CAP_SYS_ADMIN",
            "sudo sluice fs mount IMAGE DIR; Docker: --cap-add SYS_ADMIN");
  }

  private static Finding limit(String name, OptionalLong found, long wanted, String fix) {
    if (found.isEmpty()) {
      return Finding.available(name, "not known on this system");
    }
    long value = found.getAsLong();
    String shown = value == Long.MAX_VALUE ? "unlimited" : String.valueOf(value);
    return value >= wanted
        ? Finding.available(name, shown)
        : Finding.limited(name, shown + ", a busy server wants " + wanted, fix);
  }

  private Optional<Finding> hugePages() {
    return files
        .text("sys/kernel/mm/transparent_hugepage/enabled")
        .map(text ->
            text.contains("[always]")
                ? Finding.limited(
                    "transparent huge pages",
                    "always: resident memory of an idle server grows in steps of 2 MiB",
                    "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")
                : Finding.available("transparent huge pages", text));
  }

  private Finding cgroupMemory() {
    Optional<String> max = cgroupFile("memory.max");
    if (max.isEmpty()) {
      return Finding.available("memory limit", "none (no cgroup v2 limit)");
    }
    return Finding.available(
        "memory limit", max.get().equals("max") ? "none" : max.get() + " bytes (cgroup)");
  }

  private Finding cgroupCpu() {
    String[] max = cgroupFile("cpu.max").orElse("max").split(" ", 2);
    int processors = Runtime.getRuntime().availableProcessors();
    if (max.length < 2 || !max[0].matches("[0-9]{1,15}") || !max[1].matches("[1-9][0-9]{0,15}")) {
      return Finding.available("processors", processors + ", not throttled");
    }
    double share = Double.parseDouble(max[0]) / Double.parseDouble(max[1]);
    return Finding.limited(
        "processors",
        String.format(Locale.ROOT, "%d, throttled to %.2f by cgroup cpu.max", processors, share),
        "give whole processors (cpuset) instead of a quota: a throttled loop stops in the middle "
            + "of a turn, for all of its connections");
  }

  private Optional<String> cgroupFile(String name) {
    Optional<String> path =
        files.text("proc/self/cgroup").stream()
            .flatMap(String::lines)
            .filter(line -> line.startsWith("0::/"))
            .map(line -> line.substring("0::/".length()))
            .findFirst();
    return path.flatMap(p -> files.text("sys/fs/cgroup/" + (p.isEmpty() ? "" : p + "/") + name));
  }
}
