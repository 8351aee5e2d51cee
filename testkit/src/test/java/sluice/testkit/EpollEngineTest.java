package sluice.testkit;

import java.io.IOException;
import sluice.loop.Backend;
import sluice.loop.Engine;
import sluice.loop.EngineConfig;
import sluice.loop.Engines;

/// The contract on the `epoll` engine.
class EpollEngineTest extends EngineContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return Engines.open(Engines.choose(Backend.EPOLL), config);
  }
}
