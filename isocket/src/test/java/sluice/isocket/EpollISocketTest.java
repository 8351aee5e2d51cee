package sluice.isocket;

import java.io.IOException;
import sluice.loop.engine.Backend;
import sluice.testkit.sockets.SocketContract;
import sluice.testkit.sockets.SocketsUnderTest;

final class EpollISocketTest extends SocketContract {
  @Override
  protected SocketsUnderTest open() throws IOException {
    return ISockets.on(Backend.EPOLL);
  }
}
