package sluice.loop.readiness;

import java.io.IOException;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The `poll` engine, which uses non-blocking kernel sockets and `poll(2)`. Owned by the first
/// thread that turns it. All functionality except the demultiplexer is in [ReadinessEngine].
public final class PollEngine {
  private PollEngine() {}

  public static Engine open(EngineConfig config) throws IOException {
    Demultiplexer demultiplexer = new PollDemultiplexer();
    ChunkPool pool = new ChunkPool(config.chunks(), config.chunkBytes());
    ReadinessSockets sockets = new ReadinessKernelSockets(pool);
    return new ReadinessEngine("poll", demultiplexer, sockets, pool, config.maxSockets(), true);
  }
}
