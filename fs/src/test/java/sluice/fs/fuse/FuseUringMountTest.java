package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.FuseSwitch;

/// Tests mounts whose requests come through rings, if the kernel has FUSE over io_uring.
final class FuseUringMountTest extends FuseMountContract {
  private static final int FILES = 200;

  private @Nullable FuseSwitch held;

  @Override
  RingUse rings() {
    return RingUse.ON;
  }

  @BeforeEach
  void turnOn() throws IOException {
    held = FuseSwitch.hold(true);
  }

  @AfterEach
  void turnBack() throws IOException {
    FuseSwitch turned = held;
    if (turned != null) {
      turned.close();
    }
  }

  private FuseSwitch turned() {
    FuseSwitch turned = held;
    if (turned == null) {
      throw new IllegalStateException("the switch is not held");
    }
    return turned;
  }

  @Test
  void requestsComeThroughRings() throws Exception {
    FuseRig rig = FuseRig.open(directory, 16 << 20, 4096, RingUse.AUTO);
    try (rig) {
      assertThat(rig.mount.transport()).startsWith("io_uring (");
      for (int i = 0; i < FILES; i++) {
        Path file = Files.write(rig.directory.resolve("f" + i), new byte[] {(byte) i});
        assertThat(file).hasBinaryContent(new byte[] {(byte) i});
      }
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
    // At least a creation and a write for each file.
    assertThat(rig.mount.ringCalls()).isGreaterThan(2 * FILES);
  }

  @Test
  void aMountKeepsItsRingsWhenTheSwitchIsTurnedOff() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    try (rig) {
      turned().turn(false);
      rig.sh("mkdir d; for i in 1 2 3 4 5; do echo $i > d/$i; done; test $(cat d/* | wc -l) = 5");
    }
    rig.closeClean();
    assertThat(rig.mount.ringCalls()).isGreaterThan(5);
  }
}
