package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class CgroupTest {
  private static final String MOUNTS =
      """
      proc /proc proc rw,nosuid 0 0
      tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0
      cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
      cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
      cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0

      """;

  @Test
  void prefersTheNanosecondsOfVersionOne() {
    assertThat(Cgroup.candidates(MOUNTS))
        .containsExactly(Path.of("/sys/fs/cgroup/cpu,cpuacct"), Path.of("/sys/fs/cgroup/unified"));
  }

  @Test
  void machinesWithoutGroupsHaveNone() {
    assertThat(Cgroup.candidates("proc /proc proc rw 0 0\n")).isEmpty();
  }
}
