package sluice.testkit;

import sluice.loop.Engine;
import sluice.loop.EngineConfig;

/// The contract of interruptlets on the simulated engine, without faults.
class SimInterruptletTest extends InterruptletContract {
  /// A contract test fills sockets with more bytes than this, and writes fewer without waiting.
  private static final int PIPE_BYTES = 64 << 10;

  private SimWorld world = new SimWorld(1);

  @Override
  protected Engine open(EngineConfig config) {
    return world.engine(config);
  }

  @Override
  protected EngineContractPeers peers() {
    world = new SimWorld(Long.getLong("sluice.seed", 1));
    world.faults().withBudget(0);
    world.network().pipeBytes(PIPE_BYTES);
    return new SimPeers(world.network());
  }
}
