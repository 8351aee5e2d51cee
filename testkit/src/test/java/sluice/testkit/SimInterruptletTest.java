package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.sim.SimContractWorld;

/// The contract of interruptlets on the simulated engine, without faults.
class SimInterruptletTest extends InterruptletContract {
  private final SimContractWorld world = new SimContractWorld();

  @Override
  protected Engine open(EngineConfig config) {
    return world.open(config);
  }

  @Override
  protected EngineContractPeers peers() {
    return world.peers();
  }
}
