package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;
import sun.nio.ch.DefaultSelectorProvider;

/// What concerns all of `java.net` in a JVM, so each in a JVM of its own: where that package is
/// open to our provider, and where it is not.
@Timeout(300)
final class JavaNetTest {
  private static final String OPEN = "--add-opens=java.base/java.net=ALL-UNNAMED";

  private static void run(Class<?> child, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    assertThat(Await.end(ChildJvm.of(all, child).start())).isZero();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static SelectorProvider provider() {
    return new SluiceSelectorProvider(self -> new CompletionEngine(self, CompletionEngine.NEVER));
  }

  @ParameterizedTest
  @ValueSource(strings = {OPEN, "-Dclosed=true"})
  void aFactoryOfSocketsMayUseAChannel(String option) throws Exception {
    run(Factory.class, option);
  }

  /// A factory whose sockets are those of channels.
  static final class Factory {
    private Factory() {}

    @SuppressWarnings("deprecation")
    public static void main(String[] arguments) throws IOException {
      AtomicInteger asked = new AtomicInteger();
      DatagramSocket.setDatagramSocketImplFactory(() -> {
        asked.incrementAndGet();
        try {
          provider().openDatagramChannel().socket();
        } catch (IOException problem) {
          throw new UncheckedIOException(problem);
        }
        throw new IllegalStateException("nothing asks for this one");
      });
      try (DatagramChannel channel = provider().openDatagramChannel()) {
        DatagramSocket socket = channel.socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        require(socket.getLocalPort() > 0 && asked.get() == 0, "asked " + asked);
      } catch (UncheckedIOException told) {
        require(Boolean.getBoolean("closed"), "java.net is open: " + told);
        String message = String.valueOf(told.getMessage());
        require(message.contains("--add-opens java.base/java.net"), message);
        require(asked.get() == 1, "asked " + asked);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPEN, "-Dclosed=true"})
  void aPacketKeepsItsRoom(String option) throws Exception {
    run(Packets.class, option);
  }

  /// Receives a short packet by our socket, and a longer one by ours or, where `java.net` is open,
  /// by another.
  static final class Packets {
    private Packets() {}

    public static void main(String[] arguments) throws IOException {
      InetAddress local = InetAddress.getLoopbackAddress();
      try (DatagramChannel channel = provider().openDatagramChannel();
          DatagramSocket other = new DatagramSocket(0, local)) {
        DatagramSocket ours = channel.socket();
        ours.bind(new InetSocketAddress(local, 0));
        DatagramPacket packet = new DatagramPacket(new byte[100], 10, 80);
        other.send(new DatagramPacket(new byte[7], 7, ours.getLocalSocketAddress()));
        ours.receive(packet);
        require(packet.getLength() == 7, "7 of " + packet.getLength());
        DatagramSocket next = Boolean.getBoolean("closed") ? ours : other;
        other.send(new DatagramPacket(new byte[60], 60, next.getLocalSocketAddress()));
        next.receive(packet);
        require(packet.getLength() == 60, "60 of " + packet.getLength());
        NetworkInterface none = ((java.net.MulticastSocket) ours).getNetworkInterface();
        require(none.getIndex() == 0, "no interface was chosen: " + none);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hostInfo", "jar, hostinfo", "hostInfoExclSocket", ""})
  void aRefusedConnectionNamesItsAddressWhereTheJdkDoes(String words) throws Exception {
    run(Refused.class, "-Djdk.includeInExceptions=" + words);
  }

  /// Connects where nothing listens, in every way, and compares with the JDK.
  static final class Refused {
    private Refused() {}

    private interface Way {
      void connect(SocketChannel channel, SocketAddress to) throws IOException;
    }

    private static String message(SelectorProvider provider, Way way, SocketAddress to)
        throws IOException {
      try (SocketChannel channel =
          to instanceof UnixDomainSocketAddress
              ? provider.openSocketChannel(java.net.StandardProtocolFamily.UNIX)
              : provider.openSocketChannel()) {
        way.connect(channel, to);
        return "connected";
      } catch (IOException refused) {
        return refused.toString();
      }
    }

    public static void main(String[] arguments) throws IOException {
      int port;
      try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = closed.getLocalPort();
      }
      Way finish =
          (channel, to) -> {
            channel.configureBlocking(false);
            boolean done = channel.connect(to);
            while (!done) {
              Thread.onSpinWait();
              done = channel.finishConnect();
            }
          };
      List<Way> ways =
          List.of(SocketChannel::connect, finish, (channel, to) -> channel.socket().connect(to));
      SocketAddress tcp = new InetSocketAddress("localhost", port);
      for (Way way : ways) {
        String jdk = message(DefaultSelectorProvider.get(), way, tcp);
        String ours = message(provider(), way, tcp);
        require(ours.equals(jdk) && jdk.contains("refused"), ours + " is not " + jdk);
      }
      SocketAddress unix = UnixDomainSocketAddress.of(Path.of("/nowhere/listening"));
      String jdk = message(DefaultSelectorProvider.get(), SocketChannel::connect, unix);
      String ours = message(provider(), SocketChannel::connect, unix);
      require(ours.equals(jdk), ours + " is not " + jdk);
    }
  }
}
