package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.sim.SimContractWorld;

/// The contract on the simulated engine, without faults: what it lets its caller rely on is what
/// the kernel's engines do.
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

  /// The model is made of objects.
  @Override
  public long allowedBytesPerEcho() {
    return 1 << 20;
  }
}
