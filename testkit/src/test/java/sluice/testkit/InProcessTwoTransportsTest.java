package sluice.testkit;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.InProcess;

/// Two networks inside of the process in a loop that has no kernel.
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
