package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.Engines;
import sluice.testbase.Await;

/// Clients that are accepted before the loop has looked at the first of them.
@Timeout(120)
final class AcceptBatchTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int CLIENTS = 12;

  private final List<Integer> batches = new ArrayList<>();
  private int accepted;

  private void accept(Engine engine) {
    Await await = new Await();
    int before = accepted;
    while (accepted == before) {
      await.check("a client");
      engine.turn(SECOND, (token, result, flags) -> accepted += result >= 0 ? 1 : 0);
    }
    batches.add(accepted - before);
  }

  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"EPOLL", "POLL", "JDK"})
  void aBatchEndsWhereOthersHaveTakenDescriptors(Backend backend) throws IOException {
    List<Socket> clients = new ArrayList<>();
    EngineConfig config = EngineConfig.DEFAULT.withChunks(16, 1024);
    try (Engine engine = Engines.open(Engines.choose(backend), config)) {
      KernelTransport sockets = engine.sockets();
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      int listener = sockets.listen(any, ListenOptions.DEFAULT);
      sockets.accept(listener, 1);
      for (int i = 0; i < CLIENTS; i++) {
        Socket client = new Socket();
        clients.add(client);
        client.connect(sockets.localAddress(listener));
      }
      int used = sockets.descriptorsUsed(-1);
      assumeTrue(used > 0, "needs a kernel that tells how many descriptors are open");
      sockets.acceptAtMost(4, 0);
      accept(engine);
      accept(engine);
      sockets.acceptAtMost(4, used + 10_000);
      accept(engine);
      assertThat(batches).as("clients accepted at a time").containsExactly(1, 1, 4);
    } finally {
      for (Socket each : clients) {
        each.close();
      }
    }
  }
}
