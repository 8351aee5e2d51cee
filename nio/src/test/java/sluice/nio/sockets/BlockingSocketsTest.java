package sluice.nio.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.nio.ProviderUnderTest;
import sluice.testbase.Await;

/// Sockets that block behave as the JDK's, which are the control.
@Timeout(60)
class BlockingSocketsTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  /// Whose sockets.
  enum Kind {
    JDK,
    OURS,
    BEHIND_FILES;

    ServerSocket listening() throws IOException {
      return switch (this) {
        case JDK -> new ServerSocket();
        case OURS -> new Listening(ProviderUnderTest.NEUTRAL);
        case BEHIND_FILES -> new Listening(ProviderUnderTest.FRONTED);
      };
    }

    ServerSocket bound() throws IOException {
      ServerSocket server = listening();
      server.bind(new InetSocketAddress(HERE, 0));
      return server;
    }

    Socket stream() throws IOException {
      return this == JDK ? new Socket() : new Stream();
    }
  }

  /// As the factory makes it.
  private static final class Listening extends ServerSocket {
    Listening(ProviderUnderTest whose) throws IOException {
      super(new ListeningSocketImpl(whose.provider()));
    }

    @Override
    public Socket accept() throws IOException {
      if (isClosed()) {
        throw new SocketException("Socket is closed");
      }
      Stream accepted = new Stream();
      implAccept(accepted);
      return accepted;
    }
  }

  /// As the factory makes it.
  private static final class Stream extends Socket {
    Stream() throws SocketException {
      super(new StreamSocketImpl(Socket::new));
    }
  }

  /// A call in a thread of its own, and how it ended.
  private interface Call {
    @Nullable Object run() throws Exception;
  }

  private static final class Calling {
    final Thread thread;
    private final BlockingQueue<Object> end = new ArrayBlockingQueue<>(1);

    Calling(Thread.Builder kind, Call call) {
      thread =
          kind.start(() -> {
            Object how;
            try {
              how = String.valueOf(call.run());
            } catch (Exception problem) {
              how = problem;
            }
            assertThat(end.offer(how)).isTrue();
          });
    }

    /// Waits until the call is likely to be blocked.
    void isUnderWay() throws InterruptedException {
      Thread.sleep(50);
      assertThat(end).isEmpty();
    }

    Object end() throws InterruptedException {
      Object how = end.poll(30, TimeUnit.SECONDS);
      Await.end(thread);
      return how == null ? "does not end" : how;
    }
  }

  private static Calling platform(Call call) {
    return new Calling(Thread.ofPlatform(), call);
  }

  @ParameterizedTest
  @EnumSource
  void bytesBothWaysAndEachHalfEndsAlone(Kind kind) throws Exception {
    byte[] much = new byte[3 << 20];
    new Random(7).nextBytes(much);
    try (ServerSocket server = kind.bound();
        Socket client = new Socket(HERE, server.getLocalPort())) {
      Calling echo =
          platform(() -> {
            try (Socket accepted = server.accept()) {
              byte[] all = accepted.getInputStream().readAllBytes();
              accepted.getOutputStream().write(all);
              accepted.shutdownOutput();
              return accepted.getInputStream().read();
            }
          });
      client.getOutputStream().write(much);
      client.shutdownOutput();
      assertThat(client.getInputStream().readAllBytes()).isEqualTo(much);
      assertThat(echo.end()).isEqualTo("-1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void addressesAndStates(Kind kind) throws Exception {
    ServerSocket server = kind.listening();
    assertThat(server.isBound()).isFalse();
    assertThat(server.getLocalPort()).isEqualTo(-1);
    assertThat(server).hasToString("ServerSocket[unbound]");
    server.bind(new InetSocketAddress(HERE, 0), 10);
    assertThat(server.getLocalSocketAddress())
        .isEqualTo(new InetSocketAddress(HERE, server.getLocalPort()));
    assertThat(server.getChannel()).isNull();
    assertThat(server.toString()).contains("localport=" + server.getLocalPort());
    try (ServerSocket second = kind.listening()) {
      assertThatThrownBy(() -> second.bind(server.getLocalSocketAddress()))
          .isInstanceOf(BindException.class);
    }
    try (Socket client = new Socket(HERE, server.getLocalPort())) {
      client.getOutputStream().write(1);
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
        assertThat(accepted.getLocalSocketAddress()).isEqualTo(client.getRemoteSocketAddress());
        assertThat(accepted.isConnected()).isTrue();
        assertThat(accepted.getChannel()).isNull();
        assertThat(accepted.toString()).contains("port=" + client.getLocalPort());
        accepted.shutdownInput();
        assertThat(accepted.isInputShutdown()).isTrue();
      }
    }
    server.close();
    assertThat(server.isClosed()).isTrue();
    assertThatThrownBy(server::accept)
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("closed");
    try (ServerSocket again = kind.listening()) {
      again.bind(server.getLocalSocketAddress() == null ? null : new InetSocketAddress(HERE, 0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void options(Kind kind) throws Exception {
    try (ServerSocket server = kind.bound();
        Socket client = new Socket(HERE, server.getLocalPort())) {
      server.setSoTimeout(7);
      assertThat(server.getSoTimeout()).isEqualTo(7);
      server.setSoTimeout(30_000);
      server.setReceiveBufferSize(100_000);
      assertThat(server.getReceiveBufferSize()).isGreaterThanOrEqualTo(100_000);
      assertThat(server.getReuseAddress()).isTrue();
      assertThat(server.supportedOptions()).contains(StandardSocketOptions.SO_RCVBUF);
      client.getOutputStream().write(1);
      try (Socket accepted = server.accept()) {
        accepted.setTcpNoDelay(true);
        assertThat(accepted.getTcpNoDelay()).isTrue();
        accepted.setKeepAlive(true);
        assertThat(accepted.getKeepAlive()).isTrue();
        assertThat(accepted.getSoLinger()).isEqualTo(-1);
        accepted.setSoLinger(true, 5);
        assertThat(accepted.getSoLinger()).isEqualTo(5);
        accepted.setSoLinger(false, 0);
        assertThat(accepted.getSoLinger()).isEqualTo(-1);
        accepted.setTrafficClass(8);
        assertThat(accepted.getTrafficClass()).isEqualTo(8);
        accepted.setOOBInline(true);
        assertThat(accepted.getOOBInline()).isTrue();
        accepted.setSendBufferSize(100_000);
        assertThat(accepted.getSendBufferSize()).isGreaterThanOrEqualTo(100_000);
        accepted.setSoTimeout(1234);
        assertThat(accepted.getSoTimeout()).isEqualTo(1234);
        accepted.setOption(StandardSocketOptions.SO_RCVBUF, 90_000);
        assertThat(accepted.getOption(StandardSocketOptions.SO_RCVBUF))
            .isGreaterThanOrEqualTo(90_000);
        assertThat(accepted.supportedOptions()).contains(StandardSocketOptions.TCP_NODELAY);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTimeEndsAWaitAndTheSocketGoesOn(Kind kind) throws Exception {
    try (ServerSocket server = kind.bound()) {
      server.setSoTimeout(20);
      assertThatThrownBy(server::accept)
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessage("Accept timed out");
      server.setSoTimeout(0);
      try (Socket client = new Socket(HERE, server.getLocalPort())) {
        client.getOutputStream().write(1);
        try (Socket accepted = server.accept()) {
          assertThat(accepted.getInputStream().read()).isEqualTo(1);
          accepted.setSoTimeout(20);
          assertThatThrownBy(() -> accepted.getInputStream().read())
              .isInstanceOf(SocketTimeoutException.class)
              .hasMessage("Read timed out");
          client.getOutputStream().write(2);
          accepted.setSoTimeout(20_000);
          assertThat(accepted.getInputStream().read()).isEqualTo(2);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsWhatWaits(Kind kind) throws Exception {
    ServerSocket server = kind.bound();
    try (Socket client = new Socket(HERE, server.getLocalPort())) {
      client.getOutputStream().write(1);
      Socket accepted = server.accept();
      assertThat(accepted.getInputStream().read()).isEqualTo(1);
      Calling accept = platform(server::accept);
      Calling read = platform(() -> accepted.getInputStream().read());
      accept.isUnderWay();
      read.isUnderWay();
      server.close();
      accepted.close();
      assertThat(accept.end()).isInstanceOf(SocketException.class).hasToString(closed());
      assertThat(read.end()).isInstanceOf(SocketException.class).hasToString(closed());
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static String closed() {
    return new SocketException("Socket closed").toString();
  }

  /// As the documents of `ServerSocket.accept` and of a socket's stream say.
  @ParameterizedTest
  @EnumSource
  void interruptingAPlatformThreadDoesNotEndItsWait(Kind kind) throws Exception {
    try (ServerSocket server = kind.bound()) {
      Calling serving =
          platform(() -> {
            try (Socket accepted = server.accept()) {
              boolean before = Thread.currentThread().isInterrupted();
              int got = accepted.getInputStream().read();
              accepted.getOutputStream().write(got + 1);
              return before + " " + got + " " + Thread.interrupted();
            }
          });
      serving.isUnderWay();
      serving.thread.interrupt();
      serving.isUnderWay();
      try (Socket client = new Socket(HERE, server.getLocalPort())) {
        serving.isUnderWay();
        client.getOutputStream().write(5);
        assertThat(client.getInputStream().read()).isEqualTo(6);
      }
      assertThat(serving.end()).isEqualTo("true 5 true");
    }
  }

  @ParameterizedTest
  @EnumSource
  void interruptingAVirtualThreadClosesTheSocket(Kind kind) throws Exception {
    try (ServerSocket server = kind.bound();
        Socket client = new Socket(HERE, server.getLocalPort())) {
      client.getOutputStream().write(1);
      Socket accepted = server.accept();
      assertThat(accepted.getInputStream().read()).isEqualTo(1);
      Calling read = new Calling(Thread.ofVirtual(), () -> accepted.getInputStream().read());
      read.isUnderWay();
      read.thread.interrupt();
      assertThat(read.end()).isInstanceOf(SocketException.class);
      assertThat(accepted.isClosed()).isTrue();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aResetIsSeen(Kind kind) throws Exception {
    try (ServerSocket server = kind.bound()) {
      Socket client = new Socket(HERE, server.getLocalPort());
      client.getOutputStream().write(1);
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getInputStream().read()).isEqualTo(1);
        client.setSoLinger(true, 0);
        client.close();
        assertThatThrownBy(() -> accepted.getInputStream().read())
            .isInstanceOf(SocketException.class)
            .hasMessage("Connection reset");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void anApplicationConnects(Kind kind) throws Exception {
    int free;
    try (ServerSocket server = kind.bound();
        Socket client = kind.stream()) {
      free = server.getLocalPort();
      client.setTcpNoDelay(true);
      client.setSoTimeout(20_000);
      client.bind(new InetSocketAddress(HERE, 0));
      int local = client.getLocalPort();
      client.connect(server.getLocalSocketAddress(), 10_000);
      assertThat(client.getLocalPort()).isEqualTo(local);
      assertThat(client.getTcpNoDelay()).isTrue();
      client.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
      client.shutdownOutput();
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getInputStream().readAllBytes()).hasSize(5);
        accepted.getOutputStream().write(9);
      }
      assertThat(client.getInputStream().read()).isEqualTo(9);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    try (Socket client = kind.stream()) {
      assertThatThrownBy(() -> client.connect(new InetSocketAddress(HERE, free)))
          .isInstanceOf(ConnectException.class);
    }
  }
}
