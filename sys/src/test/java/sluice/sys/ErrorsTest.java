package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.call.SystemCall;

/// Tests that every error message is complete.
class ErrorsTest {
  @ParameterizedTest
  @EnumSource(SystemCall.class)
  void everyCallAndErrnoIsExplained(SystemCall call) {
    String name = call.name().toLowerCase(Locale.ROOT);
    for (int errno = 1; errno <= 134; errno++) {
      SysException problem = SysException.of(errno, name, 3, "path", 0L);
      assertThat(problem.call()).isEqualTo(name);
      assertThat(problem.errno()).isEqualTo(errno);
      assertThat(problem.errnoName()).matches("E[A-Z0-9]+");
      assertThat(problem.arguments()).containsExactly("3", "path", "0");
      assertThat(problem.why()).isNotBlank();
      assertThat(problem.fix()).isNotBlank();
      assertThat(problem.getMessage())
          .startsWith(name + "(3, path, 0): " + problem.errnoName() + " (")
          .contains("\n  Why: " + problem.why())
          .contains("\n  Fix: " + problem.fix());
    }
  }

  @Test
  void aDeniedRingNamesWhatDeniesIt() {
    assertThat(Explanation.ringDenied(2, true))
        .matches(each -> each.why().contains("io_uring_disabled is 2: no process"))
        .matches(each -> each.fix().startsWith("sysctl -w kernel.io_uring_disabled=0;"));
    assertThat(Explanation.ringDenied(1, false))
        .matches(each -> each.why().contains("io_uring_disabled is 1: only the group"))
        .matches(each -> each.fix().contains("kernel.io_uring_group"));
    assertThat(Explanation.ringDenied(0, true))
        .matches(each -> each.why().contains("seccomp"))
        .matches(each -> each.fix().contains("io_uring_setup"));
    assertThat(Explanation.ringDenied(-1, false))
        .matches(each -> each.why().contains("LSM"))
        .matches(each -> each.fix().contains("policy"));
  }

  @Test
  void goodResultsPassThrough() throws Exception {
    assertThat(SysException.check(5, "read")).isEqualTo(5);
    assertThat(SysException.check(0, "read")).isZero();
    assertThatThrownBy(() -> SysException.check(-Errno.EBADF, "close", 9))
        .isInstanceOfSatisfying(
            SysException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBADF));
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.EAGAIN, -Errno.EAGAIN})
  void errnosHaveNames(int errno) {
    assertThat(Errno.name(errno)).isEqualTo("EAGAIN");
    assertThat(Errno.describe(errno)).isEqualTo("Resource temporarily unavailable");
  }

  @Test
  void unknownErrnosHaveNumbers() {
    assertThat(Errno.name(4000)).isEqualTo("E4000");
    assertThat(Errno.describe(4000)).isEqualTo("Unknown error");
    assertThat(Errno.name(Integer.MIN_VALUE)).startsWith("E");
    assertThat(Errno.name(41)).isEqualTo("E41");
  }
}
