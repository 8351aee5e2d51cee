package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.sim.SimContractWorld;

/// The contract of leases on the simulated engine, which watches every byte in flight, without
/// faults.
class SimLeaseTest extends LeaseContract {
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
