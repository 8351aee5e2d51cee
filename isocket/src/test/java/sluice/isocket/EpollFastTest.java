package sluice.isocket;

import sluice.loop.engine.Backend;

final class EpollFastTest extends FastContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
