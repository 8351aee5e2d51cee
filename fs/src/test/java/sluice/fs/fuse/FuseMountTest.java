package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.testkit.FuseSwitch;

/// Tests mounts whose requests are read from `/dev/fuse`.
final class FuseMountTest extends FuseMountContract {
  @Override
  RingUse rings() {
    return RingUse.OFF;
  }

  @Test
  void thereAreNoRingsUnlessTheyAreAskedFor() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    try (rig) {
      assertThat(rig.mount.transport()).startsWith("read and write (").contains("not asked for");
      rig.sh("touch a; test -f a");
    }
    rig.closeClean();
    assertThat(rig.mount.ringCalls()).isZero();
  }

  @Test
  void whereThereAreNoRingsInsistingIsRefusedWithTheFix() throws Exception {
    try (FuseSwitch off = FuseSwitch.hold(false)) {
      assertThat(off).isNotNull();
      assertThatThrownBy(() -> FuseRig.open(directory, 16 << 20, 4096, RingUse.ON))
          .isInstanceOfSatisfying(
              FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
          .hasMessageContaining("Why: ")
          .hasMessageContaining("Fix: ");
      assertThat(directory.resolve("mnt")).isEmptyDirectory();
      FuseRig rig = FuseRig.open(directory, 16 << 20, 4096, RingUse.AUTO);
      try (rig) {
        assertThat(rig.mount.transport())
            .startsWith("read and write (")
            .containsAnyOf("is off", "the kernel has no");
        rig.sh("touch a; test -f a");
      }
      rig.closeClean();
    }
  }
}
