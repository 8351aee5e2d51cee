package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.InProcess;

/// The contract of interruptlets on the engine without a kernel.
class InProcessInterruptletTest extends InterruptletContract {
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
