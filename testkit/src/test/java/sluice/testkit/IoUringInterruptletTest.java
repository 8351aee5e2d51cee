package sluice.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;
import sluice.loop.Engines;

/// The contract of interruptlets on the `io_uring` engine.
class IoUringInterruptletTest extends InterruptletContract {
  private static Engines.Choice choice = new Engines.Choice(Backend.IO_URING, "the test");

  @BeforeAll
  static void chooseIoUring() {
    try {
      choice = Engines.choose(Backend.IO_URING);
    } catch (IOException e) {
      abort("no io_uring here: " + e.getMessage());
    }
  }

  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return Engines.open(choice, config);
  }
}
