package sluice.http;

import sluice.loop.engine.Backend;

final class ClientsEpollTest extends ClientsTest {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
