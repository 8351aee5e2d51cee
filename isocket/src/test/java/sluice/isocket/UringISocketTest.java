package sluice.isocket;

import java.io.IOException;
import sluice.loop.engine.Backend;

final class UringISocketTest extends SocketContract {
  @Override
  SocketsUnderTest open() throws IOException {
    return SocketsUnderTest.Ours.on(Backend.IO_URING);
  }
}
