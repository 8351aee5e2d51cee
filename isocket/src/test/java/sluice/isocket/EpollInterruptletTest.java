package sluice.isocket;

import sluice.loop.engine.Backend;

final class EpollInterruptletTest extends InterruptletContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
