package sluice.http;

import sluice.loop.engine.Backend;

class HttpFrontedEpollTest extends HttpFrontedContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
