package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The table of socket options, compared with the JDK's.
class SocketOptionsTest extends Scenario {
  /// Opens a channel of some provider.
  enum Kind {
    SOCKET,
    SERVER,
    DATAGRAM,
    UNIX_SOCKET,
    UNIX_SERVER;

    NetworkChannel open(SelectorProvider provider) throws IOException {
      return switch (this) {
        case SOCKET -> provider.openSocketChannel();
        case SERVER -> provider.openServerSocketChannel();
        case DATAGRAM -> provider.openDatagramChannel();
        case UNIX_SOCKET -> provider.openSocketChannel(StandardProtocolFamily.UNIX);
        case UNIX_SERVER -> provider.openServerSocketChannel(StandardProtocolFamily.UNIX);
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameOptionsWithTheSameInitialValuesAsTheJdks(Kind kind) throws IOException {
    NetworkChannel channel = closing(kind.open(nio()));
    NetworkChannel control = closing(kind.open(ProviderUnderTest.JDK.provider()));
    // by name: the JDK's SO_OOBINLINE is an object that only its own channels can give
    assertThat(names(channel)).isEqualTo(names(control));
    assertThat(channel.supportedOptions()).isNotEmpty();
    for (SocketOption<?> option : control.supportedOptions()) {
      assertThat(read(channel, option)).as(option.name()).isEqualTo(read(control, option));
    }
  }

  private static Set<String> names(NetworkChannel channel) {
    return channel.supportedOptions().stream().map(SocketOption::name).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSetIsReadBackAsTheJdkDoes(Kind kind) throws IOException {
    NetworkChannel channel = closing(kind.open(nio()));
    NetworkChannel control = closing(kind.open(ProviderUnderTest.JDK.provider()));
    for (SocketOption<?> option : control.supportedOptions()) {
      for (Object value : values(option)) {
        Object wanted = set(control, option, value);
        assertThat(set(channel, option, value)).as("%s = %s", option, value).isEqualTo(wanted);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClosedChannelHasNoOptionsButStillNamesThem(Kind kind) throws IOException {
    NetworkChannel channel = closing(kind.open(nio()));
    channel.close();
    assertThat(channel.supportedOptions()).isNotEmpty();
    for (SocketOption<?> option : channel.supportedOptions()) {
      assertThatThrownBy(() -> channel.getOption(option))
          .as(option.name())
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // asks for the exceptions
  void unknownOptionsAndWrongValuesAreRefused() throws IOException {
    SocketChannel socket = socket();
    ServerSocketChannel server = server();
    DatagramChannel datagram = datagram();
    assertThatThrownBy(() -> socket.getOption(STRANGE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> socket.setOption(STRANGE, "x"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> server.setOption(StandardSocketOptions.TCP_NODELAY, true))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> datagram.getOption(StandardSocketOptions.TCP_NODELAY))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> socket.getOption(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> socket.setOption(null, "x")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> socket.setOption(StandardSocketOptions.SO_SNDBUF, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> server.setOption(StandardSocketOptions.SO_RCVBUF, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> datagram.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 256))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> datagram.setOption(StandardSocketOptions.IP_MULTICAST_IF, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void optionsAreInheritedByAcceptedChannelsAsTheKernelDoes() throws IOException {
    ServerSocketChannel server = server();
    server.setOption(StandardSocketOptions.SO_RCVBUF, 32_000);
    int expected = server.getOption(StandardSocketOptions.SO_RCVBUF);
    server.bind(loopback(0));
    SocketChannel near = socket();
    near.connect(server.getLocalAddress());
    SocketChannel far = closing(server.accept());
    assertThat(far.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(expected);
    assertThat(far.getOption(StandardSocketOptions.TCP_NODELAY)).isFalse();
    assertThat(far.setOption(StandardSocketOptions.TCP_NODELAY, true)).isSameAs(far);
    assertThat(far.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
  }

  @Test
  void reusedPortsAreShared() throws IOException {
    ServerSocketChannel one = server();
    one.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(loopback(0));
    ServerSocketChannel two = server();
    two.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(one.getLocalAddress());
    assertThat(two.getLocalAddress()).isEqualTo(one.getLocalAddress());
    DatagramChannel three = datagram();
    three.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(loopback(0));
    DatagramChannel four = datagram();
    four.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(three.getLocalAddress());
    assertThat(four.getLocalAddress()).isEqualTo(three.getLocalAddress());
  }

  private static final SocketOption<String> STRANGE =
      new SocketOption<>() {
        @Override
        public String name() {
          return "STRANGE";
        }

        @Override
        public Class<String> type() {
          return String.class;
        }
      };

  private static String read(NetworkChannel channel, SocketOption<?> option) {
    try {
      return String.valueOf(channel.getOption(option));
    } catch (IOException | RuntimeException e) {
      return e.getClass().getName();
    }
  }

  private static List<?> values(SocketOption<?> option) {
    if (option.type() == Boolean.class) {
      return List.of(true, false);
    }
    if (option.type() == Integer.class) {
      return List.of(0, 1, 5, 100, 40_000, -1, -2, 256, 1 << 30);
    }
    if (option.type() == NetworkInterface.class) {
      try {
        return List.of(NetworkInterface.getByInetAddress(loopback(0).getAddress()));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    assertThat(Set.of("SO_PEERCRED")).contains(option.name());
    return List.of();
  }

  /// What can be read after setting, or the exception that came.
  @SuppressWarnings("unchecked")
  private static String set(NetworkChannel channel, SocketOption<?> option, Object value) {
    try {
      channel.setOption((SocketOption<Object>) option, value);
    } catch (IOException e) {
      return "IOException";
    } catch (RuntimeException e) {
      return e.getClass().getName();
    }
    return read(channel, option);
  }
}
