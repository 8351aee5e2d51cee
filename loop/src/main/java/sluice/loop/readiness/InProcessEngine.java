package sluice.loop.readiness;

import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The engine without a kernel: connections inside the process ([InProcessNetwork]), and a wait
/// that parks the thread. Its owner is the thread that turns it first.
///
/// What it lacks is what `jdk` lacks: `pollOnce`, `sendFile`, adopted listeners.
public final class InProcessEngine {
  private InProcessEngine() {}

  public static Engine open(InProcessNetwork network, EngineConfig config) {
    ChunkPool pool = new ChunkPool(config.chunks(), config.chunkBytes());
    InProcessSockets sockets = new InProcessSockets(network, pool);
    InProcessPoller poller = new InProcessPoller(sockets);
    sockets.toldTo(poller);
    return of(poller, sockets, pool, config);
  }

  static ReadinessEngine of(
      InProcessPoller poller, InProcessSockets sockets, ChunkPool pool, EngineConfig config) {
    return new ReadinessEngine("inprocess", poller, sockets, pool, config.maxSockets(), false);
  }
}
