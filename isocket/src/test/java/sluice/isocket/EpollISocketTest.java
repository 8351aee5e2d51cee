package sluice.isocket;

import java.io.IOException;
import sluice.loop.engine.Backend;

final class EpollISocketTest extends SocketContract {
  @Override
  SocketsUnderTest open() throws IOException {
    return SocketsUnderTest.Ours.on(Backend.EPOLL);
  }
}
