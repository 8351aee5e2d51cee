package sluice.nio.ring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;
import sluice.testbase.Await;

/// What tests of selectors with rings share: a provider that makes them, and the closing of what
/// was opened. The thread of the test calls.
abstract class RingTests {
  /// For reads of sockets, which no interrupt ends.
  static final int TIMEOUT_MILLIS = 100_000;

  final SluiceSelectorProvider provider = CompletionProviders.atOnce();
  final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void aRingIsNeeded() {
    String missing = CompletionProviders.unavailable();
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

  /// Selects until the condition holds. Fails after 100 s, and when the test's time is over: that
  /// interrupts this thread, with which a select does not wait.
  static void selectUntil(Selector selector, BooleanSupplier condition) throws Exception {
    Await await = new Await();
    while (!condition.getAsBoolean()) {
      selector.select(1000);
      await.check("more than the selected keys " + selector.selectedKeys());
    }
  }

  Selector selector() throws Exception {
    Selector selector = provider.openSelector();
    open.add(selector);
    return selector;
  }
}
