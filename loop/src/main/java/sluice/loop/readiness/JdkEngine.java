package sluice.loop.readiness;

import java.io.IOException;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The portable engine: JDK channels and a selector. Owned by the thread that turns it first.
///
/// It needs no Linux facility and loads no class that does. It lacks `pollOnce`, `sendFile`
/// (-EOPNOTSUPP; callers read the file and send the bytes they read), adopted listeners, and waits
/// finer than a millisecond. Sends are copied once more than in other engines.
public final class JdkEngine {
  private JdkEngine() {}

  public static Engine open(EngineConfig config) throws IOException {
    ChunkPool pool = ChunkPool.onHeap(config.chunks(), config.chunkBytes());
    try {
      JdkSockets sockets = new JdkSockets(pool);
      JdkDemultiplexer demultiplexer = new JdkDemultiplexer(sockets);
      return new ReadinessEngine("jdk", demultiplexer, sockets, pool, config.maxSockets(), false);
    } catch (IOException e) {
      pool.close();
      throw e;
    }
  }
}
