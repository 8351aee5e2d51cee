package sluice.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/// What tells that a JVM still compiles.
final class WarmUpTest {
  @Test
  void theCompilersOfAJvmAreFound() throws IOException {
    assertThat(WarmUp.compilerNanos(ProcessHandle.current().pid())).isPositive();
  }
}
