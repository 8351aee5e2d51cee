package sluice.isocket;

import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.testkit.sockets.SocketsUnderTest;

/// Creates isockets on a loop of their own. Belongs to one test class.
final class ISockets implements SocketsUnderTest {
  final ISocketLoop loop;

  private ISockets(Backend backend) throws IOException {
    loop = ISocketLoop.start("test-" + backend, backend);
  }

  /// Opens the loop if the machine has the backend; otherwise the test is skipped with the reason.
  static ISockets on(Backend backend) throws IOException {
    String missing = "";
    try {
      Engines.choose(backend);
    } catch (IOException e) {
      missing = String.valueOf(e.getMessage());
    }
    Assumptions.assumeTrue(missing.isEmpty(), missing);
    return new ISockets(backend);
  }

  @Override
  public ISocket client() throws IOException {
    return new ISocket(loop);
  }

  @Override
  public IServerSocket server() throws IOException {
    return new IServerSocket(loop);
  }

  @Override
  public void close() {
    loop.close();
  }
}
