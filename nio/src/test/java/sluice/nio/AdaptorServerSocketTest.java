package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The old server socket of a channel.
class AdaptorServerSocketTest extends Scenario {
  @Test
  void itIsAlwaysTheSameAndKnowsItsChannel() throws Exception {
    ServerSocketChannel channel = server();
    ServerSocket adaptor = channel.socket();
    assertThat(channel.socket()).isSameAs(adaptor);
    assertThat(adaptor.getChannel()).isSameAs(channel);
    assertThat(adaptor.isBound()).isFalse();
    assertThat(adaptor.getLocalPort()).isEqualTo(-1);
    assertThat(adaptor.getInetAddress()).isNull();
    assertThat(adaptor.getLocalSocketAddress()).isNull();
    adaptor.bind(loopback(0), 5);
    assertThat(adaptor.isBound()).isTrue();
    assertThat(adaptor.getLocalPort()).isEqualTo(addressOf(channel).getPort());
    assertThat(adaptor.getInetAddress()).isEqualTo(loopback(0).getAddress());
    assertThat(adaptor.toString()).isNotEmpty();
    adaptor.close();
    assertThat(adaptor.isClosed()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void acceptedSocketsBelongToChannels() throws Exception {
    ServerSocketChannel channel = listening();
    Socket far = closing(new Socket(loopback(0).getAddress(), addressOf(channel).getPort()));
    Socket near = closing(channel.socket().accept());
    assertThat(near.getChannel()).isNotNull();
    assertThat(near.getChannel().provider()).isSameAs(channel.provider());
    send(far, "z");
    assertThat(near.getInputStream().read()).isEqualTo('z');
  }

  @Test
  void anAcceptWithATimeoutGivesUp() throws Exception {
    ServerSocketChannel channel = listening();
    channel.socket().setSoTimeout(50);
    assertThat(channel.socket().getSoTimeout()).isEqualTo(50);
    long start = System.nanoTime();
    assertThatThrownBy(() -> channel.socket().accept()).isInstanceOf(SocketTimeoutException.class);
    assertThat(System.nanoTime() - start).isGreaterThan(45_000_000L);
    channel.socket().setSoTimeout(30_000);
    closing(new Socket(loopback(0).getAddress(), addressOf(channel).getPort()));
    assertThat(closing(channel.socket().accept()).isConnected()).isTrue();
    assertThat(channel.isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsAnAccept(Task.Kind kind) throws Exception {
    for (int timeout : new int[] {0, 60_000}) {
      ServerSocketChannel channel = listening();
      channel.socket().setSoTimeout(timeout);
      Task<Socket> accepting = kind.start(() -> channel.socket().accept());
      accepting.awaitBlocked("accept");
      channel.socket().close();
      assertThat(accepting.failure()).isInstanceOf(IOException.class);
    }
  }

  @Test
  void whatCannotBeSaysSo() throws Exception {
    ServerSocketChannel channel = server();
    assertThatThrownBy(() -> channel.socket().accept()).isInstanceOf(IOException.class);
    channel.bind(loopback(0));
    channel.configureBlocking(false);
    assertThatThrownBy(() -> channel.socket().accept())
        .isInstanceOf(IllegalBlockingModeException.class);
    assertThatThrownBy(() -> channel.socket().bind(null)).isInstanceOf(IOException.class);
    channel.socket().setReuseAddress(true);
    assertThat(channel.socket().getReuseAddress()).isTrue();
    channel.socket().setReceiveBufferSize(50_000);
    assertThat(channel.socket().getReceiveBufferSize()).isPositive();
  }
}
