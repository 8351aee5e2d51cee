package sluice.testkit;

import java.io.IOException;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;
import sluice.loop.Engines;

/// The contract of leases on the `poll` engine.
class PollLeaseTest extends LeaseContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return Engines.open(Engines.choose(Backend.POLL), config);
  }
}
