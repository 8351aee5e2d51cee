package sluice.http;

import sluice.loop.engine.Backend;

class HttpJdkTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.JDK;
  }
}
