package sluice.http;

import sluice.loop.engine.Backend;

class HttpIoUringTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.IO_URING;
  }
}
