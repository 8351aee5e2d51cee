package sluice.nio.sockets;

import sluice.nio.ProviderUnderTest;
import sluice.testkit.sockets.SocketContract;
import sluice.testkit.sockets.SocketsUnderTest;

final class NioSocketTest extends SocketContract {
  @Override
  protected SocketsUnderTest open() {
    return new NioSockets(ProviderUnderTest.NEUTRAL.provider());
  }
}
