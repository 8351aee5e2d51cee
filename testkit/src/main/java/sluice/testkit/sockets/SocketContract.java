package sluice.testkit.sockets;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.testkit.sockets.SocketCalls.failure;
import static sluice.testkit.sockets.SocketCalls.get;
import static sluice.testkit.sockets.SocketCalls.start;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// The observable behaviour of `Socket` and `ServerSocket` in which Sluice's sockets must equal the
/// JDK's. A test class extends it for each kind of sockets.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
public abstract class SocketContract {
  private SocketsUnderTest sockets = new SocketsUnderTest.Jdk();

  /// Creates the sockets under test, once for the class.
  protected abstract SocketsUnderTest open() throws IOException;

  @BeforeAll
  void openSockets() throws IOException {
    sockets = open();
  }

  @AfterAll
  void closeSockets() throws Exception {
    sockets.close();
  }

  // ---- bytes ----------------------------------------------------------------------------------

  @Test
  void bytesGoBothWays() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().getOutputStream().write("question".getBytes(ISO_8859_1));
      assertThat(pair.accepted().getInputStream().readNBytes(8)).asString().isEqualTo("question");
      pair.accepted().getOutputStream().write('!');
      assertThat(pair.client().getInputStream().read()).isEqualTo('!');
    }
  }

  @Test
  void largeTransfersArriveWhole() throws Exception {
    byte[] bytes = new byte[30_000_000];
    new Random(7).nextBytes(bytes);
    try (SocketPair pair = SocketPair.of(sockets)) {
      CompletableFuture<Integer> there = start(() -> send(pair.client(), bytes));
      CompletableFuture<Integer> back = start(() -> send(pair.accepted(), bytes));
      CompletableFuture<byte[]> atClient = start(pair.client().getInputStream()::readAllBytes);
      CompletableFuture<byte[]> atServer = start(pair.accepted().getInputStream()::readAllBytes);
      assertThat(Arrays.equals(get(atServer), bytes)).isTrue();
      assertThat(Arrays.equals(get(atClient), bytes)).isTrue();
      get(there);
      get(back);
    }
  }

  private static int send(Socket to, byte[] bytes) throws IOException {
    to.getOutputStream().write(bytes);
    to.shutdownOutput();
    return bytes.length;
  }

  @Test
  void zeroBytesAreReadAtOnceAndWrongRangesAreRefused() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      InputStream in = pair.client().getInputStream();
      OutputStream out = pair.client().getOutputStream();
      assertThat(in.read(new byte[0])).isZero();
      out.write(new byte[0]);
      assertThatThrownBy(() -> in.read(new byte[4], 2, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> out.write(new byte[4], -1, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void availableTellsWhatHasCome() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      assertThat(pair.accepted().getInputStream().available()).isZero();
      pair.client().getOutputStream().write(new byte[300]);
      InputStream in = pair.accepted().getInputStream();
      Await.until("300 bytes are available", () -> in.available() == 300);
      assertThat(in.skip(100)).isEqualTo(100);
      assertThat(in.available()).isEqualTo(200);
    }
  }

  @Test
  void manyConnectionsEachHaveTheirBytes() throws Exception {
    List<CompletableFuture<String>> echoes = new ArrayList<>();
    try (ServerSocket server = sockets.listening()) {
      var _ =
          start(() -> {
            while (true) {
              Socket accepted = server.accept();
              var _ = start(() -> accepted.getInputStream().transferTo(accepted.getOutputStream()));
            }
          });
      for (int i = 0; i < 40; i++) {
        byte[] mine = ("connection " + i).getBytes(ISO_8859_1);
        echoes.add(
            start(() -> {
              try (Socket client = sockets.client()) {
                client.connect(server.getLocalSocketAddress());
                client.getOutputStream().write(mine);
                return new String(client.getInputStream().readNBytes(mine.length), ISO_8859_1);
              }
            }));
      }
      for (int i = 0; i < 40; i++) {
        assertThat(get(echoes.get(i))).isEqualTo("connection " + i);
      }
    }
  }

  @Test
  void urgentDataComesInlineWhereItIsAskedFor() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.accepted().setOOBInline(true);
      pair.client().getOutputStream().write('a');
      pair.client().sendUrgentData('b');
      pair.client().getOutputStream().write('c');
      assertThat(pair.accepted().getInputStream().readNBytes(3)).asString().isEqualTo("abc");
    }
  }

  // ---- timeouts -------------------------------------------------------------------------------

  @Test
  void readsTimeOutAndGoOn() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().setSoTimeout(30);
      assertThat(pair.client().getSoTimeout()).isEqualTo(30);
      assertThatThrownBy(() -> pair.client().getInputStream().read())
          .isExactlyInstanceOf(SocketTimeoutException.class)
          .hasMessage("Read timed out");
      pair.client().setSoTimeout(0);
      pair.accepted().getOutputStream().write('x');
      assertThat(pair.client().getInputStream().read()).isEqualTo('x');
    }
  }

  @Test
  void acceptsTimeOutAndGoOn() throws Exception {
    try (ServerSocket server = sockets.listening();
        Socket client = sockets.client()) {
      server.setSoTimeout(30);
      assertThatThrownBy(server::accept)
          .isExactlyInstanceOf(SocketTimeoutException.class)
          .hasMessage("Accept timed out");
      server.setSoTimeout(60_000);
      client.connect(server.getLocalSocketAddress(), 60_000);
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getPort()).isEqualTo(client.getLocalPort());
        assertThat(accepted.getSoTimeout()).isZero();
      }
    }
  }

  @Test
  void connectsTimeOutWhereNothingAnswers() throws Exception {
    List<Socket> queued = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 20; i++) {
                  Socket client = sockets.client();
                  queued.add(client);
                  client.connect(full.getLocalSocketAddress(), 200);
                }
              })
          .isExactlyInstanceOf(SocketTimeoutException.class)
          .hasMessage("Connect timed out");
      assertThat(queued.getLast().isClosed()).isTrue();
    } finally {
      for (Socket each : queued) {
        each.close();
      }
    }
  }

  // ---- errors ---------------------------------------------------------------------------------

  @Test
  void refusedConnectionsSaySo() throws Exception {
    int port;
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = gone.getLocalPort();
    }
    try (Socket client = sockets.client()) {
      assertThatThrownBy(
              () -> client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
          .isExactlyInstanceOf(ConnectException.class)
          .hasMessage("Connection refused");
      assertThat(client.isClosed()).isTrue();
    }
  }

  @Test
  void unresolvedNamesAreRefused() throws Exception {
    try (Socket client = sockets.client()) {
      InetSocketAddress name = InetSocketAddress.createUnresolved("no.such.name.invalid", 80);
      assertThatThrownBy(() -> client.connect(name)).isInstanceOf(UnknownHostException.class);
    }
  }

  @Test
  void aPortInUseIsToldAndAFreedOneIsFree() throws Exception {
    ServerSocket first = sockets.listening();
    ServerSocket second = sockets.server();
    assertThatThrownBy(() -> second.bind(first.getLocalSocketAddress()))
        .isInstanceOf(java.net.BindException.class)
        .hasMessageStartingWith("Address already in use");
    InetSocketAddress address = (InetSocketAddress) first.getLocalSocketAddress();
    first.close();
    try (ServerSocket third = sockets.server()) {
      third.bind(address);
      assertThat(third.getLocalPort()).isEqualTo(address.getPort());
    }
    second.close();
  }

  @Test
  void callsBeforeConnectingAndAfterClosingAreRefused() throws Exception {
    Socket client = sockets.client();
    assertThatThrownBy(client::getInputStream)
        .isInstanceOf(SocketException.class)
        .hasMessage("Socket is not connected");
    assertThatThrownBy(client::shutdownOutput).hasMessage("Socket is not connected");
    client.close();
    client.close();
    assertThatThrownBy(client::getOutputStream).hasMessage("Socket is closed");
    assertThatThrownBy(() -> client.setTcpNoDelay(true)).hasMessage("Socket is closed");
    try (ServerSocket server = sockets.server()) {
      assertThatThrownBy(server::accept).hasMessage("Socket is not bound yet");
    }
  }

  @Test
  void streamsOfAClosedSocketSaySo() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      InputStream in = pair.client().getInputStream();
      OutputStream out = pair.client().getOutputStream();
      in.close();
      assertThat(pair.client().isClosed()).isTrue();
      assertThatThrownBy(in::read).isInstanceOf(SocketException.class).hasMessage("Socket closed");
      assertThatThrownBy(() -> out.write(1))
          .isInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  // ---- ends -----------------------------------------------------------------------------------

  @Test
  void aHalfClosedStreamEndsOneWay() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().getOutputStream().write("last".getBytes(ISO_8859_1));
      pair.client().shutdownOutput();
      assertThat(pair.accepted().getInputStream().readAllBytes()).asString().isEqualTo("last");
      assertThat(pair.accepted().getInputStream().read()).isEqualTo(-1);
      pair.accepted().getOutputStream().write("reply".getBytes(ISO_8859_1));
      pair.accepted().close();
      assertThat(pair.client().getInputStream().readAllBytes()).asString().isEqualTo("reply");
      assertThat(pair.client().isOutputShutdown()).isTrue();
      assertThatThrownBy(() -> pair.client().getOutputStream())
          .hasMessage("Socket output is shutdown");
    }
  }

  @Test
  void writesAfterShutdownAreRefused() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      OutputStream out = pair.client().getOutputStream();
      pair.client().shutdownOutput();
      assertThatThrownBy(() -> out.write(1))
          .isInstanceOf(SocketException.class)
          .hasMessage("Broken pipe");
    }
  }

  @Test
  void shutInputReadsAsEnded() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      InputStream in = pair.client().getInputStream();
      CompletableFuture<Integer> blocked = start(in::read);
      pair.client().shutdownInput();
      assertThat(get(blocked)).isEqualTo(-1);
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.available()).isZero();
      assertThatThrownBy(() -> pair.client().getInputStream())
          .hasMessage("Socket input is shutdown");
    }
  }

  @Test
  void anAbortResetsThePeer() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().setSoLinger(true, 0);
      pair.client().close();
      assertThatThrownBy(() -> pair.accepted().getInputStream().read())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
    }
  }

  @Test
  void closingWithUnreadBytesEndsThePeersWrites() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().getOutputStream().write(new byte[100]);
      InputStream unread = pair.accepted().getInputStream();
      Await.until("the bytes have come", () -> unread.available() == 100);
      pair.accepted().close();
      OutputStream out = pair.client().getOutputStream();
      assertThatThrownBy(
              () -> {
                Await await = new Await();
                while (true) {
                  await.pause("the reset has come");
                  out.write(1);
                }
              })
          .isExactlyInstanceOf(SocketException.class)
          .message()
          .isIn("Broken pipe", "Connection reset by peer", "Connection reset");
    }
  }

  @Test
  void closingWithUnreadBytesEndsTheOutputBeforeItResets() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      pair.client().getOutputStream().write(new byte[100]);
      InputStream unread = pair.accepted().getInputStream();
      Await.until("the bytes have come", () -> unread.available() == 100);
      pair.accepted().getOutputStream().write("refused".getBytes(ISO_8859_1));
      pair.accepted().close();
      assertThat(pair.client().getInputStream().readAllBytes()).asString().isEqualTo("refused");
    }
  }

  @Test
  void bytesBeforeACloseArrive() throws Exception {
    byte[] bytes = new byte[3_000_000];
    new Random(11).nextBytes(bytes);
    try (SocketPair pair = SocketPair.of(sockets)) {
      CompletableFuture<byte[]> read = start(pair.accepted().getInputStream()::readAllBytes);
      pair.client().getOutputStream().write(bytes);
      pair.client().close();
      assertThat(Arrays.equals(get(read), bytes)).isTrue();
    }
  }

  // ---- other threads --------------------------------------------------------------------------

  @Test
  void closingWakesABlockedReader() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      CompletableFuture<Integer> first = new CompletableFuture<>();
      InputStream in = pair.client().getInputStream();
      CompletableFuture<Integer> reader =
          start(() -> {
            first.complete(in.read());
            return in.read();
          });
      pair.accepted().getOutputStream().write(1);
      get(first); // it blocks now or soon: the result is the same
      pair.client().close();
      assertThat(failure(reader))
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  @Test
  void closingWakesABlockedWriter() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      CompletableFuture<Integer> writer =
          start(() -> {
            OutputStream out = pair.client().getOutputStream();
            while (true) {
              out.write(new byte[1 << 20]);
            }
          });
      Await.until("bytes have come", () -> pair.accepted().getInputStream().available() > 0);
      pair.client().close();
      assertThat(failure(writer))
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  @Test
  void closingWakesABlockedAccept() throws Exception {
    ServerSocket server = sockets.listening();
    CompletableFuture<Socket> accept = start(server::accept);
    server.close();
    assertThat(failure(accept)).isExactlyInstanceOf(SocketException.class);
    assertThat(failure(accept).getMessage()).isIn("Socket closed", "Socket is closed");
  }

  @Test
  void anInterruptClosesTheSocketOfAVirtualThread() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      CompletableFuture<Integer> read = new CompletableFuture<>();
      InputStream in = pair.client().getInputStream();
      Thread reader =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  read.complete(in.read());
                } catch (IOException e) {
                  read.completeExceptionally(e);
                }
              });
      Await.until("it waits", () -> reader.getState() == Thread.State.WAITING);
      reader.interrupt();
      assertThat(failure(read))
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Closed by interrupt");
      assertThat(pair.client().isClosed()).isTrue();
    }
  }

  /// Tests the behaviour documented for `ServerSocket.accept` and for a socket's streams.
  @Test
  void anInterruptDoesNotEndTheWaitOfAPlatformThread() throws Exception {
    try (ServerSocket server = sockets.listening()) {
      CompletableFuture<Thread> thread = new CompletableFuture<>();
      CompletableFuture<String> serving =
          start(() -> {
            thread.complete(Thread.currentThread());
            try (Socket accepted = server.accept()) {
              boolean before = Thread.currentThread().isInterrupted();
              int got = accepted.getInputStream().read();
              accepted.getOutputStream().write(got + 1);
              return before + " " + got + " " + Thread.interrupted();
            }
          });
      get(thread).interrupt();
      try (Socket client = sockets.client()) {
        client.connect(server.getLocalSocketAddress());
        Thread.sleep(30); // it probably waits for a byte by now
        client.getOutputStream().write(5);
        assertThat(client.getInputStream().read()).isEqualTo(6);
      }
      assertThat(get(serving)).isEqualTo("true 5 true");
    }
  }

  // ---- options and addresses ------------------------------------------------------------------

  @Test
  void addressesAreThoseOfBothEnds() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      Socket client = pair.client();
      Socket accepted = pair.accepted();
      assertThat(client.getPort()).isEqualTo(accepted.getLocalPort());
      assertThat(client.getLocalPort()).isEqualTo(accepted.getPort());
      assertThat(client.getInetAddress()).isEqualTo(InetAddress.getLoopbackAddress());
      assertThat(client.getLocalAddress()).isEqualTo(accepted.getInetAddress());
      assertThat(client.getRemoteSocketAddress()).isEqualTo(accepted.getLocalSocketAddress());
      assertThat(client.isConnected()).isTrue();
      assertThat(client.isBound()).isTrue();
      assertThat(client.getChannel()).isNull();
    }
  }

  @Test
  void aServerTellsItsState() throws Exception {
    ServerSocket server = sockets.server();
    assertThat(server.isBound()).isFalse();
    assertThat(server.getLocalPort()).isEqualTo(-1);
    assertThat(server).hasToString("ServerSocket[unbound]");
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    assertThat(server.isBound()).isTrue();
    assertThat(server.getLocalSocketAddress())
        .isEqualTo(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
    assertThat(server.getChannel()).isNull();
    assertThat(server.toString()).contains("localport=" + server.getLocalPort());
    server.setSoTimeout(7);
    assertThat(server.getSoTimeout()).isEqualTo(7);
    server.close();
    assertThat(server.isClosed()).isTrue();
    assertThatThrownBy(server::accept)
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aClientMayBeBoundBeforeItConnects() throws Exception {
    try (ServerSocket server = sockets.listening();
        Socket client = sockets.client()) {
      client.setTcpNoDelay(true);
      client.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = client.getLocalPort();
      client.connect(server.getLocalSocketAddress(), 60_000);
      assertThat(client.getLocalPort()).isEqualTo(port);
      assertThat(client.getTcpNoDelay()).isTrue();
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getPort()).isEqualTo(port);
        assertThat(accepted.toString()).contains("port=" + port);
      }
    }
  }

  @Test
  void optionsAreKept() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets)) {
      Socket client = pair.client();
      assertThat(client.getTcpNoDelay()).isFalse();
      client.setTcpNoDelay(true);
      assertThat(client.getTcpNoDelay()).isTrue();
      client.setKeepAlive(true);
      assertThat(client.getKeepAlive()).isTrue();
      assertThat(client.getSoLinger()).isEqualTo(-1);
      client.setSoLinger(true, 7);
      assertThat(client.getSoLinger()).isEqualTo(7);
      assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(7);
      client.setSoLinger(false, 0);
      assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
      client.setReceiveBufferSize(32_768);
      assertThat(client.getReceiveBufferSize()).isGreaterThanOrEqualTo(32_768);
      client.setOption(StandardSocketOptions.SO_RCVBUF, 90_000);
      assertThat(client.getOption(StandardSocketOptions.SO_RCVBUF)).isGreaterThanOrEqualTo(90_000);
      client.setSendBufferSize(32_768);
      assertThat(client.getSendBufferSize()).isGreaterThanOrEqualTo(32_768);
      client.setTrafficClass(0x10);
      assertThat(client.getTrafficClass()).isEqualTo(0x10);
      client.setOOBInline(true);
      assertThat(client.getOOBInline()).isTrue();
      assertThatThrownBy(() -> client.setSoTimeout(-1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> client.setReceiveBufferSize(0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theSameOptionsAreThere() throws Exception {
    try (ServerSocket server = sockets.listening();
        ServerSocket plainServer = new ServerSocket();
        Socket client = sockets.client();
        Socket plain = new Socket()) {
      assertThat(client.supportedOptions()).isEqualTo(plain.supportedOptions());
      assertThat(server.supportedOptions()).isEqualTo(plainServer.supportedOptions());
      assertThat(server.getReuseAddress()).isTrue();
      server.setReceiveBufferSize(65_536);
      assertThat(server.getReceiveBufferSize()).isGreaterThanOrEqualTo(65_536);
      assertThatThrownBy(() -> server.setOption(StandardSocketOptions.TCP_NODELAY, true))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }
}
