package sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

/// Checks that the scheduler example prints the order chosen by each scheduler.
@Timeout(600)
final class SchedulersExampleTest {
  @Test
  void eachSchedulerHasItsOrder(@TempDir Path files) throws Exception {
    Process process =
        new ProcessBuilder(
                SluiceProcess.example("schedulers/Schedulers.java", "-Djava.io.tmpdir=" + files))
            .redirectErrorStream(true)
            .start();
    Await.limit(process);
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(Await.end(process)).as(said).isZero();
    assertThat(said)
        .contains(
            "round robin r m a r m a r m a r m a r m a",
            "priorities  a a a a a m m m m m r r r r r",
            "deadlines   m m m m m a a a a a r r r r r");
    assertThat(said.lines().filter(line -> line.startsWith("cooperative ")))
        .hasSize(1)
        .allMatch(line -> line.split(" +", -1).length > 15);
    assertThat(files).as("what the example leaves behind").isEmptyDirectory();
  }
}
