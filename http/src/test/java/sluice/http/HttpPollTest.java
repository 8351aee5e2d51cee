package sluice.http;

import sluice.loop.Backend;

class HttpPollTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.POLL;
  }
}
