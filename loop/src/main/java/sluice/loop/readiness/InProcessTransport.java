package sluice.loop.readiness;

import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.Transport;
import sluice.loop.engine.UserTransport;

/// A transport of in-process connections that is used in addition to that of a loop's engine. It is
/// an [InProcessEngine] that never waits. Owned by the loop's thread, except for the wake-up.
public final class InProcessTransport implements UserTransport {
  private final ReadinessEngine engine;
  private final InProcessDemultiplexer demultiplexer;

  private InProcessTransport(ReadinessEngine engine, InProcessDemultiplexer demultiplexer) {
    this.engine = engine;
    this.demultiplexer = demultiplexer;
  }

  public static InProcessTransport open(InProcessNetwork network, EngineConfig config) {
    ChunkPool pool = ChunkPool.onHeap(config.chunks(), config.chunkBytes());
    InProcessSockets sockets = new InProcessSockets(network, pool);
    InProcessDemultiplexer demultiplexer = new InProcessDemultiplexer(sockets);
    sockets.toldTo(demultiplexer);
    ReadinessEngine engine =
        new ReadinessEngine("inprocess", demultiplexer, sockets, pool, config.maxSockets(), false);
    return new InProcessTransport(engine, demultiplexer);
  }

  /// Returns the underlying engine, which waits when it is turned.
  ReadinessEngine engine() {
    return engine;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public Transport sockets() {
    return engine.sockets();
  }

  @Override
  public void collect() {
    engine.move();
  }

  @Override
  public int deliver(CompletionSink sink) {
    return engine.deliver(sink);
  }

  @Override
  public boolean ready() {
    return engine.hasWork() || demultiplexer.mayBeReady();
  }

  @Override
  public void wakeBy(Runnable wake) {
    demultiplexer.wakeBy(wake);
  }

  @Override
  public void close() {
    engine.close();
  }
}
