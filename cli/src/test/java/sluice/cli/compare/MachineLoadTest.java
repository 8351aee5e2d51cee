package sluice.cli.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.host.machine.MachineFiles;

/// Tests the load computed from two readings of invented processors.
final class MachineLoadTest {
  @TempDir Path root;

  private MachineLoad.Look look(String total) throws IOException {
    Path stat = Files.createDirectories(root.resolve("proc")).resolve("stat");
    Files.writeString(stat, "cpu  " + total + "\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 5 6\n");
    return MachineLoad.look(new MachineFiles(root)).orElseThrow();
  }

  @Test
  void anIdleMachineIsNotWarnedOf() throws IOException {
    MachineLoad.Look first = look("100 0 100 1000 50 0 0 0 0 0");
    MachineLoad load = MachineLoad.between(first, look("104 0 102 1190 54 0 0 0 0 0"));
    assertThat(load.busy()).isCloseTo(0.06, within(1e-9));
    assertThat(load.warning()).isEmpty();
    assertThat(MachineLoad.between(first, first).warning()).isEmpty();
  }

  @Test
  void aBusyMachineIs() throws IOException {
    MachineLoad.Look first = look("100 5 100 1000 50 1 1 1 7 7");
    MachineLoad load = MachineLoad.between(first, look("190 15 140 1050 55 2 3 3 99 99"));
    assertThat(load.busy()).isCloseTo(2 * 145.0 / 200, within(1e-9));
    assertThat(load.warning().orElseThrow())
        .contains("1.5", "of 2 processors", "before anything is measured", "Fix:");
  }

  @Test
  void withoutTheFileNothingIsSaid() {
    assertThat(MachineLoad.look(new MachineFiles(root))).isEmpty();
  }

  @Test
  void thisMachineCanBeLookedAt() {
    assertThat(MachineLoad.look(new MachineFiles(Path.of("/")))).isPresent();
  }
}
