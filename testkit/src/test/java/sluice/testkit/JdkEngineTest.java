package sluice.testkit;

import java.io.IOException;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;

/// The contract on the `jdk` engine.
class JdkEngineTest extends EngineContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return KernelEngines.open(Backend.JDK, config);
  }

  @Override
  public boolean rawDescriptors() {
    return false;
  }
}
