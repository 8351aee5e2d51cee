package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.InProcess;

/// Tests of two in-process networks in a loop without a kernel.
class InProcessTwoTransportsTest extends TwoTransportsContract {
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
