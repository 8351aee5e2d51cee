package sluice.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.testbase.Await;

/// What all scenarios share: the provider under test, connected channels, and the closing of all
/// that was opened. Used by the test's thread; [#closing] by any.
@ParameterizedClass(name = "{0}")
@MethodSource("sluice.nio.ProviderUnderTest#selected")
@Timeout(240)
abstract class Scenario {
  private static final int TIMEOUT_MILLIS = 60_000;

  /// Set by JUnit.
  @Parameter
  @SuppressWarnings("NullAway.Init")
  ProviderUnderTest under;

  private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();

  /// Two connected channels of the provider under test.
  record Pair(SocketChannel near, SocketChannel far) {}

  /// A channel of the provider under test, and a plain socket at the other end.
  record Link(SocketChannel near, Socket far) {}

  /// A condition that may fail with an exception.
  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one = opened.pollFirst(); one != null; one = opened.pollFirst()) {
      one.close();
    }
  }

  /// Closes it when the test ends, the last opened first.
  final <T extends AutoCloseable> T closing(T one) {
    opened.addFirst(one);
    return one;
  }

  final SelectorProvider nio() {
    return under.provider();
  }

  /// The provider that channels name. The readiness engine's are the JDK's, which name the object
  /// that made them: one within the engine.
  final SelectorProvider identity() throws IOException {
    return under == ProviderUnderTest.READINESS ? selector().provider() : nio();
  }

  final Selector selector() throws IOException {
    return closing(nio().openSelector());
  }

  final SocketChannel socket() throws IOException {
    return closing(nio().openSocketChannel());
  }

  final ServerSocketChannel server() throws IOException {
    return closing(nio().openServerSocketChannel());
  }

  final ServerSocketChannel listening() throws IOException {
    return server().bind(loopback(0));
  }

  final DatagramChannel datagram() throws IOException {
    return closing(nio().openDatagramChannel(StandardProtocolFamily.INET));
  }

  final DatagramChannel boundDatagram() throws IOException {
    return datagram().bind(loopback(0));
  }

  final Pipe pipe() throws IOException {
    Pipe pipe = nio().openPipe();
    closing(pipe.source());
    closing(pipe.sink());
    return pipe;
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
  }

  static InetSocketAddress addressOf(ServerSocketChannel server) throws IOException {
    return (InetSocketAddress) server.getLocalAddress();
  }

  static InetSocketAddress addressOf(DatagramChannel channel) throws IOException {
    return (InetSocketAddress) channel.getLocalAddress();
  }

  final Pair pair() throws IOException {
    ServerSocketChannel server = listening();
    SocketChannel near = socket();
    near.connect(server.getLocalAddress());
    SocketChannel far = closing(server.accept());
    server.close();
    return new Pair(near, far);
  }

  /// The channel under test connects.
  final Link link() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 5, loopback(0).getAddress())) {
      SocketChannel near = socket();
      near.connect(server.getLocalSocketAddress());
      Socket far = closing(server.accept());
      far.setSoTimeout(TIMEOUT_MILLIS);
      return new Link(near, far);
    }
  }

  /// The channel under test was accepted.
  final Link accepted() throws IOException {
    try (ServerSocketChannel server = listening()) {
      Socket far = closing(new Socket(addressOf(server).getAddress(), addressOf(server).getPort()));
      far.setSoTimeout(TIMEOUT_MILLIS);
      return new Link(closing(server.accept()), far);
    }
  }

  static SelectionKey register(SelectableChannel channel, Selector selector, int ops)
      throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, ops);
  }

  /// Selects until the key is ready for one of the operations; leaves no key selected.
  static void awaitReady(Selector selector, SelectionKey key, int ops) throws IOException {
    Await.until(
        key + " that is ready for " + ops,
        () -> {
          selector.select(1000);
          boolean ready = selector.selectedKeys().contains(key) && (key.readyOps() & ops) != 0;
          selector.selectedKeys().clear();
          return ready;
        });
  }

  /// True when the key is selected within the time, or at once if it is 0.
  static boolean isReady(Selector selector, SelectionKey key, long millis) throws IOException {
    selector.selectedKeys().clear();
    int _ = millis == 0 ? selector.selectNow() : selector.select(millis);
    boolean ready = selector.selectedKeys().contains(key);
    selector.selectedKeys().clear();
    return ready;
  }

  /// Bytes that tell their own place.
  static byte[] pattern(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 8));
    }
    return bytes;
  }

  static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  static String text(byte[] bytes) {
    return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  static void send(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  static void send(Socket socket, String text) throws IOException {
    send(socket, text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  static byte[] receive(Socket socket, int length) throws IOException {
    return socket.getInputStream().readNBytes(length);
  }

  /// Writes all of it, whether the channel blocks or not.
  static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
    Await await = new Await();
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        await.pause("room for bytes");
      }
    }
  }

  /// Reads until the bytes are there or the stream ends, whether the channel blocks or not.
  static byte[] readFully(ReadableByteChannel channel, int length) throws IOException {
    Await await = new Await();
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      int count = channel.read(buffer);
      if (count < 0) {
        break;
      }
      if (count == 0) {
        await.pause("bytes");
      }
    }
    return java.util.Arrays.copyOf(buffer.array(), buffer.position());
  }
}
