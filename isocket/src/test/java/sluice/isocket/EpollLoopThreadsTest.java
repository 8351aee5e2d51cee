package sluice.isocket;

import sluice.loop.engine.Backend;

final class EpollLoopThreadsTest extends LoopThreadsContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
