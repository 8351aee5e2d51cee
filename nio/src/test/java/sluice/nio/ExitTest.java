package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a process has written arrives although it exits at once.
@Timeout(120)
class ExitTest {
  private static final int CONNECTIONS = 2;

  @Test
  void stagedBytesLeaveBeforeTheProcess() throws Exception {
    String missing = CompletionEngine.unavailable();
    assumeTrue(missing == null, () -> "no io_uring here: " + missing);
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(60_000);
      Process child = start(server.getLocalPort());
      try (Socket one = server.accept();
          Socket two = server.accept()) {
        for (Socket each : List.of(one, two)) {
          each.setSoTimeout(60_000);
          each.getOutputStream().write('?');
        }
        for (Socket each : List.of(one, two)) {
          byte[] all = each.getInputStream().readAllBytes();
          assertThat(new String(all, StandardCharsets.US_ASCII)).isEqualTo("answer");
        }
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).isZero();
      } finally {
        child.destroyForcibly();
      }
    }
  }

  private static Process start(int port) throws Exception {
    return ChildJvm.of(List.of(), Child.class, Integer.toString(port)).start();
  }

  /// Answers two questions that come together, and exits.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      SluiceSelectorProvider provider = new SluiceSelectorProvider(CompletionEngine::new);
      int port = Integer.parseInt(arguments[0]);
      Selector selector = provider.openSelector();
      for (int i = 0; i < CONNECTIONS; i++) {
        SocketChannel channel = provider.openSocketChannel();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        SelectionKey _ = channel.register(selector, SelectionKey.OP_READ);
      }
      while (selector.selectedKeys().size() < CONNECTIONS) {
        int _ = selector.select();
      }
      for (SelectionKey key : selector.selectedKeys()) {
        SocketChannel channel = (SocketChannel) key.channel();
        int _ = channel.read(ByteBuffer.allocate(10));
        int _ = channel.write(ByteBuffer.wrap("answer".getBytes(StandardCharsets.US_ASCII)));
      }
      System.exit(0);
    }
  }
}
