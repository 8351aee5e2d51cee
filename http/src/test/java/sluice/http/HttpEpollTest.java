package sluice.http;

import sluice.loop.engine.Backend;

class HttpEpollTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
