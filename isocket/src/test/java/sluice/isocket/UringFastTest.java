package sluice.isocket;

import sluice.loop.engine.Backend;

final class UringFastTest extends FastContract {
  @Override
  Backend backend() {
    return Backend.IO_URING;
  }
}
