package sluice.bench.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// What is said when `perf` cannot count, and programs that end while they are being ended.
class ProbeTest {
  @Test
  void aLineForEachThreadThatHasEndedIsNotShown() {
    String messages = "WARNING: Ignored open failure for pid 7\nError:\nNo such process\n";
    assertEquals("Error: No such process", Probe.withoutWarnings(messages));
  }

  @Test
  void aProgramThatHasEndedIsInterruptedWithoutComplaint() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor(60, TimeUnit.SECONDS);
    Commands.interrupt(process, 60);
    assertFalse(process.isAlive());
  }

  @Test
  void aProgramThatDoesNotHeedIsKilled() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("sh", "-c", "trap '' INT; exec sleep 600").start();
    Commands.interrupt(process, 1);
    process.waitFor(60, TimeUnit.SECONDS);
    assertFalse(process.isAlive());
  }
}
