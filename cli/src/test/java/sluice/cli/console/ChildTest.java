package sluice.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests the processes that a comparison starts and ends.
@Timeout(600)
final class ChildTest {
  private static Process start(String script) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", script).start();
    process.inputReader().readLine(); // the traps are set
    return process;
  }

  @Test
  void whatEndsWhenAskedToIsNotKilled() throws Exception {
    Process process = start("trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done");
    Child child = new Child(process, 60);
    child.close();
    assertThat(process.waitFor()).isEqualTo(7);
    assertThat(child.wasKilled()).isFalse();
  }

  @Test
  void whatDoesNotIsKilledWithItsChildren() throws Exception {
    Process process = start("trap '' TERM; sleep 1000 & echo ready; wait");
    List<ProcessHandle> below = process.descendants().toList();
    assertThat(below).isNotEmpty();
    Child child = new Child(process, 1);
    child.close();
    assertThat(child.wasKilled()).isTrue();
    assertThat(process.waitFor()).isEqualTo(128 + 9);
    for (ProcessHandle one : below) {
      one.onExit().join();
    }
  }
}
