package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// The old socket of a channel: streams, timeouts, options.
class AdaptorSocketTest extends Scenario {
  @Test
  void itIsAlwaysTheSameAndKnowsItsChannel() throws Exception {
    SocketChannel channel = socket();
    Socket adaptor = channel.socket();
    assertThat(channel.socket()).isSameAs(adaptor);
    assertThat(adaptor.getChannel()).isSameAs(channel);
    assertThat(adaptor.isBound()).isFalse();
    assertThat(adaptor.isConnected()).isFalse();
    assertThat(adaptor.isClosed()).isFalse();
    assertThat(adaptor.toString()).isNotEmpty();
    assertThatThrownBy(adaptor::getInputStream).isInstanceOf(SocketException.class);
    assertThatThrownBy(adaptor::getOutputStream).isInstanceOf(SocketException.class);
    adaptor.close();
    assertThat(channel.isOpen()).isFalse();
    assertThat(adaptor.isClosed()).isTrue();
  }

  @Test
  void itTellsTheAddressesOfBothEnds() throws Exception {
    Link link = link();
    Socket adaptor = link.near().socket();
    assertThat(adaptor.isConnected()).isTrue();
    assertThat(adaptor.isBound()).isTrue();
    assertThat(adaptor.getPort()).isEqualTo(link.far().getLocalPort());
    assertThat(adaptor.getLocalPort()).isEqualTo(link.far().getPort());
    assertThat(adaptor.getInetAddress()).isEqualTo(loopback(0).getAddress());
    assertThat(adaptor.getLocalAddress()).isEqualTo(loopback(0).getAddress());
    assertThat(adaptor.getRemoteSocketAddress()).isEqualTo(link.near().getRemoteAddress());
    assertThat(adaptor.getLocalSocketAddress()).isEqualTo(link.near().getLocalAddress());
  }

  @Test
  void streamsCarryBytesBothWays() throws Exception {
    Link link = link();
    Socket adaptor = link.near().socket();
    adaptor.getOutputStream().write("out".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThat(text(receive(link.far(), 3))).isEqualTo("out");
    send(link.far(), "incoming");
    InputStream in = adaptor.getInputStream();
    assertThat(in.read()).isEqualTo('i');
    Await.until("seven bytes", () -> in.available() == 7);
    assertThat(text(in.readNBytes(7))).isEqualTo("ncoming");
    assertThat(in.read(new byte[0])).isZero();
    link.far().shutdownOutput();
    assertThat(in.read()).isEqualTo(-1);
    assertThat(in.read(new byte[3])).isEqualTo(-1);
  }

  @Test
  void aReadWithATimeoutGivesUpAndMayBeRepeated() throws Exception {
    Link link = link();
    Socket adaptor = link.near().socket();
    adaptor.setSoTimeout(50);
    assertThat(adaptor.getSoTimeout()).isEqualTo(50);
    InputStream in = adaptor.getInputStream();
    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
      assertThat(System.nanoTime() - start).isGreaterThan(45_000_000L);
    }
    adaptor.setSoTimeout(30_000);
    send(link.far(), "x");
    assertThat(in.read()).isEqualTo('x');
    assertThat(link.near().isOpen()).isTrue();
    assertThatThrownBy(() -> adaptor.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aReadWithATimeoutGetsWhatComesInTime(Task.Kind kind) throws Exception {
    Link link = link();
    link.near().socket().setSoTimeout(30_000);
    Task<Integer> reading = kind.start(() -> link.near().socket().getInputStream().read());
    reading.awaitBlocked("read");
    send(link.far(), "y");
    assertThat(reading.join()).isEqualTo('y');
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsAReadOfTheStream(Task.Kind kind) throws Exception {
    for (int timeout : new int[] {0, 60_000}) {
      SocketChannel near = link().near();
      near.socket().setSoTimeout(timeout);
      Task<Integer> reading = kind.start(() -> near.socket().getInputStream().read());
      reading.awaitBlocked("read");
      near.socket().close();
      assertThat(reading.failure()).isInstanceOf(IOException.class);
    }
  }

  @Test
  void nonBlockingChannelsHaveNoBlockingStreams() throws Exception {
    SocketChannel near = link().near();
    InputStream in = near.socket().getInputStream();
    var out = near.socket().getOutputStream();
    near.configureBlocking(false);
    assertThatThrownBy(in::read).isInstanceOf(IllegalBlockingModeException.class);
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IllegalBlockingModeException.class);
    SocketChannel other = socket();
    other.configureBlocking(false);
    assertThatThrownBy(() -> other.socket().connect(loopback(1)))
        .isInstanceOf(IllegalBlockingModeException.class);
  }

  @Test
  void connectWithATimeout() throws Exception {
    ServerSocketChannel server = listening();
    SocketChannel channel = socket();
    channel.socket().connect(server.getLocalAddress(), 30_000);
    assertThat(channel.isConnected()).isTrue();
    assertThat(channel.isBlocking()).isTrue();
    assertThatThrownBy(() -> channel.socket().connect(server.getLocalAddress(), 100))
        .isInstanceOf(IOException.class);
    SocketChannel other = socket();
    assertThatThrownBy(() -> other.socket().connect(loopback(1), -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aConnectThatTakesTooLongGivesUpAndCloses() throws Exception {
    try (FullServer full = new FullServer()) {
      full.pending(this);
      SocketChannel channel = socket();
      assertThatThrownBy(() -> channel.socket().connect(full.address(), 100))
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(channel.isOpen()).isFalse();
    }
  }

  @Test
  void aRefusedConnectIsAnIoException() throws Exception {
    InetSocketAddress nobody;
    try (ServerSocketChannel server = listening()) {
      nobody = addressOf(server);
    }
    assertThatThrownBy(() -> socket().socket().connect(nobody, 10_000))
        .isInstanceOf(java.net.ConnectException.class);
    assertThatThrownBy(() -> socket().socket().connect(nobody))
        .isInstanceOf(java.net.ConnectException.class);
    assertThatThrownBy(
            () -> socket().socket().connect(InetSocketAddress.createUnresolved("nowhere", 1)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void optionsOfTheOldKind() throws Exception {
    Socket adaptor = link().near().socket();
    adaptor.setTcpNoDelay(true);
    assertThat(adaptor.getTcpNoDelay()).isTrue();
    adaptor.setKeepAlive(true);
    assertThat(adaptor.getKeepAlive()).isTrue();
    adaptor.setOOBInline(true);
    assertThat(adaptor.getOOBInline()).isTrue();
    adaptor.setReuseAddress(true);
    assertThat(adaptor.getReuseAddress()).isTrue();
    adaptor.setSoLinger(true, 7);
    assertThat(adaptor.getSoLinger()).isEqualTo(7);
    adaptor.setSoLinger(false, 0);
    assertThat(adaptor.getSoLinger()).isEqualTo(-1);
    adaptor.setSendBufferSize(50_000);
    assertThat(adaptor.getSendBufferSize()).isPositive();
    adaptor.setReceiveBufferSize(50_000);
    assertThat(adaptor.getReceiveBufferSize()).isPositive();
    adaptor.setTrafficClass(8);
    assertThat(adaptor.supportedOptions()).isNotEmpty();
  }

  @Test
  void halfCloseThroughTheAdaptor() throws Exception {
    Link link = link();
    Socket adaptor = link.near().socket();
    adaptor.getOutputStream().write('e');
    adaptor.shutdownOutput();
    assertThat(adaptor.isOutputShutdown()).isTrue();
    assertThat(text(link.far().getInputStream().readAllBytes())).isEqualTo("e");
    assertThat(adaptor.isInputShutdown()).isFalse();
    adaptor.shutdownInput();
    assertThat(adaptor.isInputShutdown()).isTrue();
    assertThat(adaptor.isClosed()).isFalse();
  }

  @Test
  void bindThroughTheAdaptor() throws Exception {
    SocketChannel channel = socket();
    channel.socket().bind(loopback(0));
    assertThat(channel.socket().isBound()).isTrue();
    assertThat(channel.socket().getLocalPort())
        .isEqualTo(((InetSocketAddress) channel.getLocalAddress()).getPort());
  }
}
