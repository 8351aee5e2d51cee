package sluice.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// Accepting connections, blocking and selected.
class AcceptTest extends Scenario {
  @Test
  void withoutAConnectionANonBlockingAcceptIsNull() throws Exception {
    ServerSocketChannel server = listening();
    server.configureBlocking(false);
    assertThat(server.accept()).isNull();
  }

  @Test
  void acceptNeedsABoundAndOpenChannel() throws Exception {
    ServerSocketChannel server = server();
    assertThatThrownBy(server::accept).isInstanceOf(NotYetBoundException.class);
    server.configureBlocking(false);
    assertThatThrownBy(server::accept).isInstanceOf(NotYetBoundException.class);
    server.close();
    assertThatThrownBy(server::accept).isInstanceOf(ClosedChannelException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockingAcceptWaits(Task.Kind kind) throws Exception {
    ServerSocketChannel server = listening();
    Task<SocketChannel> accepting = kind.start(server::accept);
    accepting.awaitBlocked("accept");
    Socket far = dial(server);
    SocketChannel near = closing(accepting.join());
    assertThat(near.isBlocking()).isTrue();
    assertThat(near.isConnected()).isTrue();
    send(far, "hello");
    assertThat(text(readFully(near, 5))).isEqualTo("hello");
  }

  @Test
  void readyUntilAllAreAccepted() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = server().bind(loopback(0), 64);
    SelectionKey key = register(server, selector, OP_ACCEPT);
    assertThat(isReady(selector, key, 0)).isFalse();
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      ports.add(dial(server).getLocalPort());
    }
    Set<Integer> accepted = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      awaitReady(selector, key, OP_ACCEPT);
      SocketChannel near = closing(server.accept());
      assertThat(near.isBlocking()).as("whatever its server does").isTrue();
      accepted.add(((InetSocketAddress) near.getRemoteAddress()).getPort());
    }
    assertThat(accepted).isEqualTo(ports);
    assertThat(isReady(selector, key, 20)).isFalse();
    assertThat(server.accept()).isNull();
  }

  @Test
  void acceptedChannelsOfASelectedServerCarryBytes() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SelectionKey accepting = register(server, selector, OP_ACCEPT);
    for (int i = 0; i < 5; i++) {
      Socket far = dial(server);
      send(far, "first " + i);
      awaitReady(selector, accepting, OP_ACCEPT);
      SocketChannel near = closing(server.accept());
      SelectionKey reading = register(near, selector, SelectionKey.OP_READ);
      awaitReady(selector, reading, SelectionKey.OP_READ);
      assertThat(text(readFully(near, 7))).isEqualTo("first " + i);
      writeFully(near, text("reply " + i));
      assertThat(text(receive(far, 7))).isEqualTo("reply " + i);
    }
  }

  @Test
  void connectionsThatWaitSurviveDeregistering() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SelectionKey key = register(server, selector, OP_ACCEPT);
    selector.selectNow();
    dial(server);
    dial(server);
    awaitReady(selector, key, OP_ACCEPT);
    key.cancel();
    selector.selectNow();
    server.configureBlocking(true);
    assertThat(closing(server.accept()).isConnected()).isTrue();
    assertThat(closing(server.accept()).isConnected()).isTrue();
  }

  @Test
  void aConnectionResetBeforeAcceptIsHarmless() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SelectionKey key = register(server, selector, OP_ACCEPT);
    Socket hasty = dial(server);
    hasty.setSoLinger(true, 0);
    hasty.close();
    Socket far = dial(server);
    int port = far.getLocalPort();
    Await.until(
        "the connection that was not reset",
        () -> {
          isReady(selector, key, 10);
          SocketChannel near = server.accept();
          if (near == null) {
            return false;
          }
          closing(near);
          return ((InetSocketAddress) near.getRemoteAddress()).getPort() == port;
        });
  }

  @Test
  void severalThreadsShareOneServer() throws Exception {
    ServerSocketChannel server = server().bind(loopback(0), 64);
    Task<?>[] tasks = new Task<?>[4];
    for (int t = 0; t < tasks.length; t++) {
      tasks[t] =
          Task.start(() -> {
            for (int i = 0; i < 10; i++) {
              try (SocketChannel near = server.accept()) {
                writeFully(near, text("x"));
              }
            }
            return true;
          });
    }
    for (int i = 0; i < 40; i++) {
      assertThat(receive(dial(server), 1)).hasSize(1);
    }
    for (Task<?> task : tasks) {
      task.join();
    }
  }

  private Socket dial(ServerSocketChannel server) throws Exception {
    Socket far = closing(new Socket(loopback(0).getAddress(), addressOf(server).getPort()));
    far.setSoTimeout(30_000);
    return far;
  }
}
