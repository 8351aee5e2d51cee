package sluice.isocket;

import sluice.loop.engine.Backend;

final class UringLoopThreadsTest extends LoopThreadsContract {
  @Override
  Backend backend() {
    return Backend.IO_URING;
  }
}
