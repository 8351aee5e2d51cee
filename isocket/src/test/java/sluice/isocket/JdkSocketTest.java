package sluice.isocket;

import java.io.IOException;

final class JdkSocketTest extends SocketContract {
  @Override
  SocketsUnderTest open() throws IOException {
    return new SocketsUnderTest.Jdk();
  }
}
