package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.sim.SimContractWorld;

/// The contract on the simulated engine, without faults: it guarantees the same as the kernel's
/// engines.
class SimEngineContractTest extends EngineContract {
  private final SimContractWorld world = new SimContractWorld();

  @Override
  protected Engine open(EngineConfig config) {
    return world.open(config);
  }

  @Override
  protected EngineContractPeers peers() {
    return world.peers();
  }

  @Override
  public boolean rawDescriptors() {
    return false;
  }

  /// Allows allocation, because the model is made of objects.
  @Override
  public long allowedBytesPerEcho() {
    return 1 << 20;
  }
}
