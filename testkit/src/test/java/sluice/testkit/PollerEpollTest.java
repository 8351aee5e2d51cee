package sluice.testkit;

import sluice.loop.engine.Backend;

/// The contract on the backend `epoll`.
class PollerEpollTest extends PollerKernelContract {
  @Override
  protected Backend backend() {
    return Backend.EPOLL;
  }
}
