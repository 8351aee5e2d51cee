package sluice.loop.readiness;

import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.Transport;
import sluice.loop.engine.UserTransport;

/// Connections inside of the process, beside those of a loop's engine: an [InProcessEngine] that
/// never waits. Of the loop's thread, but for what wakes it.
public final class InProcessTransport implements UserTransport {
  private final ReadinessEngine engine;
  private final InProcessPoller poller;

  private InProcessTransport(ReadinessEngine engine, InProcessPoller poller) {
    this.engine = engine;
    this.poller = poller;
  }

  public static InProcessTransport open(InProcessNetwork network, EngineConfig config) {
    ChunkPool pool = new ChunkPool(config.chunks(), config.chunkBytes());
    InProcessSockets sockets = new InProcessSockets(network, pool);
    InProcessPoller poller = new InProcessPoller(sockets);
    sockets.toldTo(poller);
    ReadinessEngine engine =
        new ReadinessEngine("inprocess", poller, sockets, pool, config.maxSockets(), false);
    return new InProcessTransport(engine, poller);
  }

  /// The engine alone, which waits when it is turned.
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
    return engine.hasWork() || poller.mayBeReady();
  }

  @Override
  public void wakeBy(Runnable wake) {
    poller.wakeBy(wake);
  }

  @Override
  public void close() {
    engine.close();
  }
}
