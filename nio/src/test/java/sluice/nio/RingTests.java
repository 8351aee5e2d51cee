package sluice.nio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// What tests of selectors with rings share: a provider that makes them, and the closing of what
/// was opened. The thread of the test calls.
abstract class RingTests {
  final SluiceSelectorProvider provider = new SluiceSelectorProvider(CompletionEngine::new);
  final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void aRingIsNeeded() {
    String missing = CompletionEngine.unavailable();
    assumeTrue(missing == null, () -> "no io_uring here: " + missing);
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  ServerSocketChannel listen() throws Exception {
    ServerSocketChannel server = provider.openServerSocketChannel();
    open.add(server);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    return server;
  }

  Selector selector() throws Exception {
    Selector selector = provider.openSelector();
    open.add(selector);
    return selector;
  }
}
