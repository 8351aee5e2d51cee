package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.call.Arch;
import sluice.sys.call.Layout;
import sluice.testbase.Child;

/// Tests limits, sysctls and seccomp.
@Timeout(240)
class SystemTest {
  @Test
  void deniedCallsFailWithAnExplanation() throws Exception {
    Path classes =
        Path.of(Layout.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Child child =
        Child.run(
            new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes + ":" + classes.resolveSibling("test-classes"),
                DeniedCalls.class.getName()));
    assertThat(child.exit()).as(child.output()).isZero();
    List<String> lines = child.output().lines().toList();
    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).isEqualTo("false EPERM");
    assertThat(lines.get(1)).contains("seccomp profile").contains("epoll");
    assertThat(lines.get(2)).isEqualTo("-1");
    assertThat(lines.get(3)).isEqualTo("0");
    assertThat(lines.get(4)).isEqualTo("true");
  }

  @Test
  void onlyKnownCallsCanBeDenied() {
    assertThatThrownBy(() -> Seccomp.deny(List.of("no_such_call")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void limitsAreReadAndRaised() throws Exception {
    ResourceLimit files = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE);
    assertThat(files.soft()).isPositive();
    assertThat(ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, 1)).isEqualTo(files);
    ResourceLimit raised = SystemInfo.raiseDescriptors(files.hard());
    // restores the limit for other tests
    ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, files.soft());
    assertThat(raised.soft()).isEqualTo(files.hard());
    assertThat(ResourceLimit.of(ResourceLimit.RLIMIT_MEMLOCK).hard()).isNotZero();
    assertThatThrownBy(() -> ResourceLimit.of(999))
        .isInstanceOf(SysException.class)
        .hasMessageContaining("prlimit64");
  }

  @Test
  void theKernelSaysWhatItIs() {
    assertThat(SystemInfo.kernelRelease()).matches("\\d+\\.\\d+.*");
    assertThat(SystemInfo.ioUringDisabled()).isBetween(-1, 2);
    assertThat(SystemInfo.sysctl("no.such.name")).isEmpty();
    assertThat(Arch.current()).isNotEqualTo(Arch.OTHER);
  }
}
