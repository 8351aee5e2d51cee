package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.fs.E2fsprogs;
import sluice.fs.LinuxTools;
import sluice.testkit.MountCopies;

/// Tests mounts made from a loop device over the image, for which the kernel waits until their
/// server is done.
final class FuseBlockMountTest extends FuseMountContract {
  @BeforeEach
  void requireLoopDevices() {
    boolean there = Files.exists(Path.of("/dev/loop-control"));
    Assumptions.assumeTrue(there, "needs /dev/loop-control (modprobe loop)");
  }

  @Override
  RingUse rings() {
    return RingUse.OFF;
  }

  @Override
  boolean fromBlockDevice() {
    return true;
  }

  private static boolean hasLoop(Path image) throws IOException {
    return LinuxTools.must("losetup", "-j", image.toString()).contains(image.toString());
  }

  /// Checks that the image is complete when umount(8) of another process returns.
  @Test
  void theImageIsWholeWhenUmountReturns() throws Exception {
    FuseRig rig = open(32 << 20, 1024);
    try (rig) {
      assertThat(hasLoop(rig.image)).isTrue();
      rig.sh("mkdir d; for i in $(seq 100); do echo $i > d/$i; done; rm d/7; echo x > gone");
      boolean copied = MountCopies.exist(rig.directory);
      LinuxTools.must("umount", rig.directory.toString());
      if (copied || MountCopies.exist(rig.directory)) {
        rig.mount.awaitEnd(); // it ends with the last copy of the mount
      }
      E2fsprogs.assertClean(rig.image);
      assertThat(E2fsprogs.debugfs(rig.image, "features")).doesNotContain("needs_recovery");
      assertThat(rig.tree.closedCleanly()).isTrue();
      rig.mount.awaitEnd();
      assertThat(hasLoop(rig.image)).isFalse();
    }
  }

  /// Checks that a program that ignores the log finds everything in the image when syncfs(2) has
  /// returned.
  @Test
  void syncMakesTheImageWholeWhileItIsMounted() throws Exception {
    FuseRig rig = open(32 << 20, 1024);
    try (rig) {
      Assumptions.assumeTrue(rig.mount.limits().isEmpty(), rig.mount.limits());
      for (int round = 0; round < 5; round++) {
        rig.sh("for i in $(seq 50); do echo $i > " + round + "-$i; done; sync -f .");
        E2fsprogs.assertClean(rig.image);
        String found = E2fsprogs.debugfs(rig.image, "cat " + round + "-50");
        assertThat(found).contains("50");
      }
    }
    rig.closeClean();
  }

  @Test
  void whatTheKernelDoesNotWaitForIsSaid() throws Exception {
    try (FuseRig rig = FuseRig.open(directory, 8 << 20, 1024, RingUse.OFF)) {
      assertThat(rig.mount.limits()).contains("sync(1)").contains("umount(8)");
    }
    Path no = directory.resolve("no-device");
    FuseStability stability = FuseStability.NONE.withBlockDevice(no.toString());
    FuseOptions options = options(false).withStability(stability);
    try (FuseRig rig = FuseRig.open(directory, 8 << 20, 1024, options)) {
      assertThat(rig.mount.limits()).contains("umount(8)").contains(no.toString());
      rig.sh("touch a");
    }
  }

  @Test
  void aLoopDeviceOfAnotherProgramIsRefusedAsBefore() throws Exception {
    FuseRig rig = open(8 << 20, 1024);
    rig.close();
    String loop = LinuxTools.must("losetup", "-f", "--show", rig.image.toString()).strip();
    try {
      assertThatThrownBy(() -> new FuseRig(rig.image, rig.directory, options(false)))
          .hasMessageContaining(loop)
          .hasMessageContaining("losetup -d");
    } finally {
      LinuxTools.must("losetup", "-d", loop);
    }
  }
}
