package sluice.testkit;

import java.io.IOException;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;
import sluice.loop.Engines;

/// The contract on the `jdk` engine.
class JdkEngineTest extends EngineContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return Engines.open(Engines.choose(Backend.JDK), config);
  }

  @Override
  public boolean rawDescriptors() {
    return false;
  }
}
