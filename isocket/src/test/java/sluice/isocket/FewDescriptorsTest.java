package sluice.isocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.sys.EventFd;
import sluice.sys.ResourceLimit;

/// Tests of a server of isockets whose process is short of descriptors. Its connections belong to
/// an application, so none is ended; new clients wait until descriptors are free again.
@Timeout(240)
final class FewDescriptorsTest {
  private static final int CLIENTS = 20;

  /// The minimum number of descriptors that are reserved.
  private static final int KEPT = 8;

  /// The number of descriptors left for connections, which take two each.
  private static final int LEFT = 20;

  private final List<EventFd> hogs = new ArrayList<>();
  private final List<SocketChannel> clients = new ArrayList<>();

  private static int open() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return (int) all.count();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void newClientsWaitAndNoConnectionEnds(Backend backend) throws Exception {
    ISockets.on(backend).close(); // what is opened and loaded once is there
    long before = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    int limit = open() + 150;
    ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
    ISockets sockets = ISockets.on(backend);
    try (IServerSocket server = sockets.server()) {
      for (int i = 0; i < CLIENTS; i++) {
        SocketChannel client = SocketChannel.open();
        client.socket().setSoTimeout(60_000);
        clients.add(client);
      }
      useUp(limit - KEPT - LEFT);
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread.ofVirtual().start(() -> serve(server));
      for (SocketChannel each : clients) {
        each.connect(server.getLocalSocketAddress());
        each.write(ByteBuffer.wrap(new byte[] {'x'}));
      }
      List<SocketChannel> served = new ArrayList<>();
      List<SocketChannel> waiting = new ArrayList<>();
      for (SocketChannel each : clients) {
        (answers(each) ? served : waiting).add(each);
      }
      assertThat(served).hasSizeBetween(2, LEFT / 2 + 1);
      for (SocketChannel each : served) {
        assertThat(echo(each)).as("a connection stays").isTrue();
      }
      while (!waiting.isEmpty()) {
        served.removeFirst().close();
        SocketChannel next = waiting.removeFirst();
        assertThat(next.socket().getInputStream().read()).as("in its place").isEqualTo('x');
        served.add(next);
      }
    } finally {
      hogs.forEach(EventFd::close);
      for (SocketChannel each : clients) {
        each.close();
      }
      sockets.close();
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, before);
    }
  }

  private void useUp(int count) throws IOException {
    while (open() - 1 < count) { // without that of the look
      hogs.add(EventFd.open(true));
    }
  }

  /// Returns false if no answer comes within half a second.
  private static boolean answers(SocketChannel client) throws IOException {
    try {
      client.socket().setSoTimeout(500);
      return client.socket().getInputStream().read() == 'x';
    } catch (SocketTimeoutException waits) {
      return false;
    } finally {
      client.socket().setSoTimeout(60_000);
    }
  }

  private static boolean echo(SocketChannel client) throws IOException {
    client.write(ByteBuffer.wrap(new byte[] {'x'}));
    return client.socket().getInputStream().read() == 'x';
  }

  private static void serve(IServerSocket server) {
    try {
      while (true) {
        ISocket accepted = server.accept();
        Thread.ofVirtual().start(() -> answer(accepted));
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private static void answer(ISocket accepted) {
    try (accepted) {
      for (int next = accepted.getInputStream().read(); next >= 0; ) {
        accepted.getOutputStream().write(next);
        next = accepted.getInputStream().read();
      }
    } catch (IOException gone) {
      // its client says so
    }
  }
}
