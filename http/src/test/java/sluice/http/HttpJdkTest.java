package sluice.http;

import sluice.loop.Backend;

class HttpJdkTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.JDK;
  }
}
