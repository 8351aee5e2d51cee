package sluice.loop.readiness;

import java.io.IOException;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The `epoll` engine, which uses non-blocking kernel sockets and `epoll(7)`. Owned by the first
/// thread that turns it. All functionality except the demultiplexer is in [ReadinessEngine].
public final class EpollEngine {
  private EpollEngine() {}

  public static Engine open(EngineConfig config) throws IOException {
    Demultiplexer demultiplexer = new EpollDemultiplexer();
    ChunkPool pool = new ChunkPool(config.chunks(), config.chunkBytes());
    ReadinessSockets sockets = new ReadinessKernelSockets(pool);
    return new ReadinessEngine("epoll", demultiplexer, sockets, pool, config.maxSockets(), true);
  }
}
