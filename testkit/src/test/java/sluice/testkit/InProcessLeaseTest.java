package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.InProcess;

/// The contract of leases on the engine without a kernel.
class InProcessLeaseTest extends LeaseContract {
  private final InProcess network = new InProcess();

  @Override
  protected Engine open(EngineConfig config) {
    return network.open(config);
  }

  @Override
  protected EngineContractPeers peers() {
    return new InProcessPeers(network);
  }
}
