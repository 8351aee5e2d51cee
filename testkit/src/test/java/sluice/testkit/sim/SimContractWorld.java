package sluice.testkit.sim;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.EngineContractPeers;

/// A simulated machine without faults for each test of a contract. Owned by the test's thread.
public final class SimContractWorld {
  /// A contract test fills sockets with more bytes than this, and writes fewer without waiting.
  private static final int PIPE_BYTES = 64 << 10;

  private SimWorld world = new SimWorld(1);

  public Engine open(EngineConfig config) {
    return world.engine(config);
  }

  /// The peers of a new machine: engines that are opened from now on are on it.
  public EngineContractPeers peers() {
    world = new SimWorld(Long.getLong("sluice.seed", 1));
    world.faults().withBudget(0);
    world.network().pipeBytes(PIPE_BYTES);
    return new SimPeers(world.network());
  }
}
