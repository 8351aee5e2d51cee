package sluice.testkit;

import sluice.loop.Engine;
import sluice.loop.EngineConfig;

/// The contract on the simulated engine, without faults: what it lets its caller rely on is what
/// the kernel's engines do.
class SimEngineContractTest extends EngineContract {
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
