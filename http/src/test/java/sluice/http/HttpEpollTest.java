package sluice.http;

import sluice.loop.Backend;

class HttpEpollTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
