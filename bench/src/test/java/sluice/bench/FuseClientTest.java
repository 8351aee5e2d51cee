package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.run.Commands;
import sluice.bench.run.Workspace;

/// The client of `bench fuse`, on a file of this machine.
@Timeout(600)
final class FuseClientTest {
  @TempDir Path folder;

  private String run(String what) throws IOException {
    assumeTrue(Commands.find("gcc") != null, "no gcc; Fix: apt-get install gcc libc6-dev");
    Path file = Files.write(folder.resolve("file"), new byte[1 << 17]);
    try (Workspace workspace = Workspace.open()) {
      return Commands.run(
          120, List.of(workspace.fuseClient().toString(), what, file.toString(), "0.05"));
    }
  }

  @Test
  void printsOperationsAndSeconds() throws IOException {
    String[] words = run("stat").strip().split(" ", -1);
    assertThat(words).hasSize(2);
    assertThat(Long.parseLong(words[0])).isPositive();
    assertThat(Double.parseDouble(words[1])).isGreaterThanOrEqualTo(0.05);
  }

  @ParameterizedTest
  @ValueSource(strings = {"100", "-4096", "2097152", "reads"})
  void refusesOddSizes(String bytes) {
    assertThatThrownBy(() -> run(bytes)).hasMessageContaining("not a multiple of 4096");
  }
}
