package sluice.nio.sockets;

import sluice.nio.ProviderUnderTest;
import sluice.testkit.sockets.SocketContract;
import sluice.testkit.sockets.SocketsUnderTest;

/// Behind files.
final class FrontedSocketTest extends SocketContract {
  @Override
  protected SocketsUnderTest open() {
    return new NioSockets(ProviderUnderTest.FRONTED.provider());
  }
}
