package sluice.testkit;

import java.io.IOException;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;

/// The contract of leases on the `jdk` engine.
class JdkLeaseTest extends LeaseContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return KernelEngines.open(Backend.JDK, config);
  }
}
