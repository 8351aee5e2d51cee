package sluice.http;

import sluice.loop.engine.Backend;

class HttpFrontedIoUringTest extends HttpFrontedContract {
  @Override
  Backend backend() {
    return Backend.IO_URING;
  }
}
