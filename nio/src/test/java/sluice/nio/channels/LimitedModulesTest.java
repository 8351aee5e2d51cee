package sluice.nio.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.nio.ChildJvm;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;
import sluice.sys.sockets.OptionTable;

/// A JVM that was limited to `java.base` has channels too, with the standard options.
@Timeout(120)
class LimitedModulesTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void channelsWorkWithoutTheModuleOfMoreOptions(boolean rings) throws Exception {
    List<String> options = List.of("--limit-modules=java.base");
    Process child = ChildJvm.of(options, Child.class, Boolean.toString(rings)).start();
    try {
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void withTheModuleTheOptionsAreThere() {
    assertThat(OptionTable.STREAM.names()).hasSize(14);
    assertThat(OptionTable.SERVER.names()).hasSize(8);
    assertThat(OptionTable.DATAGRAM.names()).hasSize(11);
    assertThat(OptionTable.UNIX_STREAM.names()).hasSize(4);
  }

  /// Asks every channel for its options, and sends a byte through a selector.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      boolean rings = Boolean.parseBoolean(arguments[0]);
      SluiceSelectorProvider provider =
          rings ? CompletionProviders.atOnce() : CompletionProviders.neutral();
      try (Selector selector = provider.openSelector();
          ServerSocketChannel server = provider.openServerSocketChannel();
          SocketChannel near = provider.openSocketChannel();
          NetworkChannel datagram = provider.openDatagramChannel();
          NetworkChannel unix = provider.openSocketChannel(StandardProtocolFamily.UNIX)) {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        near.connect(server.getLocalAddress());
        for (NetworkChannel channel : List.of(server, near, datagram, unix)) {
          for (SocketOption<?> option : channel.supportedOptions()) {
            Object _ = channel.getOption(option);
          }
          channel.setOption(StandardSocketOptions.SO_RCVBUF, 20_000);
        }
        near.configureBlocking(false);
        SelectionKey _ = near.register(selector, SelectionKey.OP_READ);
        try (SocketChannel far = server.accept()) {
          far.setOption(StandardSocketOptions.TCP_NODELAY, true);
          int _ = far.write(ByteBuffer.wrap(new byte[] {42}));
          while (selector.selectedKeys().isEmpty()) {
            int _ = selector.select();
          }
        }
        ByteBuffer answer = ByteBuffer.allocate(2);
        if (near.read(answer) != 1 || answer.get(0) != 42) {
          throw new IllegalStateException("not what was sent: " + answer);
        }
      }
    }
  }
}
