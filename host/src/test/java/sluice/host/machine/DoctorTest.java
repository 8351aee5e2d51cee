package sluice.host.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the doctor on copies of `/proc` and `/sys` of machines with one problem each.
final class DoctorTest {
  @TempDir Path root;

  @BeforeEach
  void aHealthyMachine() throws IOException {
    write("proc/sys/kernel/osrelease", "6.1.0-32-amd64");
    write("proc/sys/kernel/io_uring_disabled", "0");
    write("proc/self/status", "Name:\tjava\nSeccomp:\t0\nCapEff:\t000001ffffffffff\n");
    write("proc/self/limits", limits("1048576", "unlimited"));
    write("dev/fuse", "");
    write("proc/sys/net/core/somaxconn", "4096");
    write("proc/sys/fs/inotify/max_user_watches", "524288");
    write("proc/sys/fs/inotify/max_user_instances", "1024");
    write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    write("proc/self/cgroup", "0::/system.slice/sluice.service\n");
    write("sys/fs/cgroup/system.slice/sluice.service/memory.max", "max");
    write("sys/fs/cgroup/system.slice/sluice.service/cpu.max", "max 100000");
  }

  @Test
  void findsNothingOnAHealthyMachine() {
    assertThat(examine(Optional.empty()).examine())
        .allMatch(finding -> finding.status() == Finding.Status.AVAILABLE)
        .allMatch(finding -> finding.fix().isEmpty());
  }

  @Test
  void namesTheSysctlThatDisablesTheRing() throws IOException {
    write("proc/sys/kernel/io_uring_disabled", "2");
    assertFinding(
        "io_uring", Finding.Status.BLOCKED, "io_uring_disabled = 2; EPERM", "sysctl -w kernel.io");
  }

  @Test
  void namesTheGroupWhenOnlyThePrivilegedMay() throws IOException {
    write("proc/sys/kernel/io_uring_disabled", "1");
    assertFinding("io_uring", Finding.Status.BLOCKED, "= 1", "kernel.io_uring_group");
  }

  @Test
  void givesTheSeccompRuleInAContainer() throws IOException {
    write("proc/self/status", "Seccomp:\t2\n");
    assertFinding(
        "io_uring", Finding.Status.BLOCKED, "seccomp filter is active", "\"io_uring_setup\"");
    assertFinding("io_uring", Finding.Status.BLOCKED, "EPERM", "localhostProfile");
  }

  @Test
  void namesTheLimitThatRingsAreChargedAgainst() {
    assertThat(examine(Optional.of("io_uring_setup answered ENOMEM")).examine())
        .filteredOn(finding -> finding.name().equals("io_uring"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.fix()).contains("ulimit -l unlimited"));
  }

  @Test
  void namesLowLimits() throws IOException {
    write("proc/self/limits", limits("1024", "65536"));
    write("proc/sys/net/core/somaxconn", "128");
    write("proc/sys/fs/inotify/max_user_watches", "8192");
    assertFinding("open files", Finding.Status.LIMITED, "1024,", "LimitNOFILE");
    assertFinding("locked memory", Finding.Status.LIMITED, "65536,", "LimitMEMLOCK");
    assertFinding("accept queue", Finding.Status.LIMITED, "128,", "somaxconn=4096");
    assertFinding("inotify", Finding.Status.LIMITED, "8192,", "max_user_watches=524288");
  }

  @Test
  void saysWhetherImagesCanBeMounted() throws IOException {
    write("proc/self/status", "Seccomp:\t0\nCapEff:\t00000000a80425fb\n");
    assertFinding("fuse", Finding.Status.LIMITED, "CAP_SYS_ADMIN", "sudo sluice fs mount");
    Files.delete(root.resolve("dev/fuse"));
    assertFinding("fuse", Finding.Status.BLOCKED, "no /dev/fuse", "modprobe fuse");
  }

  @Test
  void warnsOfProcessorQuotas() throws IOException {
    write("sys/fs/cgroup/system.slice/sluice.service/cpu.max", "50000 100000");
    assertFinding("processors", Finding.Status.LIMITED, "0.50", "cpuset");
  }

  @Test
  void sendsOldKernelsToEpoll() throws IOException {
    write("proc/sys/kernel/osrelease", "5.10.0");
    assertFinding("kernel", Finding.Status.LIMITED, "5.10.0", "6.1 or later");
  }

  @Test
  void worksWithoutProc() {
    assertThat(new Doctor(new MachineFiles(root.resolve("none")), Optional::empty).examine())
        .filteredOn(finding -> finding.status() == Finding.Status.BLOCKED)
        .extracting(Finding::name)
        .containsExactly("io_uring", "epoll", "inotify", "fuse");
  }

  @Test
  void readsVirtualFilesWhole() {
    MachineFiles real = new MachineFiles(Path.of("/"));
    if (Files.exists(Path.of("/proc/sys/net/core/somaxconn"))) {
      assertThat(real.number("proc/sys/net/core/somaxconn").orElse(0)).isGreaterThan(15);
    }
    assertThat(real.text("proc/no/such/file")).isEmpty();
  }

  @Test
  void comparesReleases() {
    assertThat(Doctor.isAtLeast("6.1.0", 6, 1)).isTrue();
    assertThat(Doctor.isAtLeast("7.0-rc1", 6, 1)).isTrue();
    assertThat(Doctor.isAtLeast("6.0.19", 6, 1)).isFalse();
    assertThat(Doctor.isAtLeast("unknown", 6, 1)).isFalse();
  }

  private void assertFinding(String name, Finding.Status status, String found, String fix) {
    Optional<String> failure = Optional.of("EPERM");
    assertThat(examine(failure).examine())
        .filteredOn(finding -> finding.name().equals(name))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.status()).isEqualTo(status);
          assertThat(finding.found()).contains(found);
          assertThat(finding.fix()).contains(fix);
        });
  }

  private Doctor examine(Optional<String> ringFailure) {
    return new Doctor(new MachineFiles(root), () -> ringFailure);
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static String limits(String files, String locked) {
    return String.format(
        "Limit                     Soft Limit  Hard Limit  Units%n"
            + "Max open files            %-11s 1048576     files%n"
            + "Max locked memory         %-11s unlimited   bytes%n",
        files, locked);
  }
}
