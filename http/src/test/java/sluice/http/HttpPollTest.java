package sluice.http;

import sluice.loop.engine.Backend;

class HttpPollTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.POLL;
  }
}
