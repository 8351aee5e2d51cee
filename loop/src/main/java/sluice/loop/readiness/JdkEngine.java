package sluice.loop.readiness;

import java.io.IOException;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The portable engine, which uses JDK channels and a selector. Owned by the first thread that
/// turns it.
///
/// This engine requires no Linux facilities and loads no classes that do. It does not support
/// `pollOnce`, `sendFile` (-EOPNOTSUPP; callers read the file and send the bytes), adopted
/// listeners, and waits with a resolution of less than a millisecond. Sends require one more copy
/// than in other engines.
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
