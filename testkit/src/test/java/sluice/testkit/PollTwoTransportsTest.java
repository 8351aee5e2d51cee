package sluice.testkit;

import java.io.IOException;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// Two transports in a loop on the `poll` engine.
class PollTwoTransportsTest extends TwoTransportsContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return KernelEngines.open(Backend.POLL, config);
  }
}
