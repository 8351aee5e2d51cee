package sluice.testkit;

import java.io.IOException;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The contract of datagrams on the `epoll` engine.
class EpollDatagramsTest extends DatagramsContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return KernelEngines.open(Backend.EPOLL, config);
  }
}
