package sluice.testkit.sim;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.testkit.EngineContractPeers;

/// A simulated machine without faults for each test of a contract. Owned by the test's thread.
public final class SimContractWorld {
  /// The pipe capacity. A contract test fills sockets with more bytes, and writes fewer bytes
  /// without waiting.
  private static final int PIPE_BYTES = 64 << 10;

  private SimWorld world = new SimWorld(1);

  public Engine open(EngineConfig config) {
    return world.engine(config);
  }

  /// Returns the peers of a new machine, on which all further engines are opened.
  public EngineContractPeers peers() {
    world = new SimWorld(Long.getLong("sluice.seed", 1));
    world.faults().withBudget(0);
    world.network().pipeBytes(PIPE_BYTES);
    return new SimPeers(world.network());
  }
}
