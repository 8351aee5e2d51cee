package sluice.isocket;

import sluice.loop.engine.Backend;

final class UringInterruptletTest extends InterruptletContract {
  @Override
  Backend backend() {
    return Backend.IO_URING;
  }
}
