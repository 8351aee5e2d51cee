package sluice.loop.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.engine.Backend;

/// Loops that share a port among themselves, and with no other server.
@Timeout(240)
final class ServerTest {
  /// That a hash of addresses gives all of them to one of two loops is no chance at all.
  private static final int CONNECTIONS = 64;

  private static ServerConfig config(Backend backend, int loops, int port) {
    return ServerConfig.onLoopback("shared", port).withBackend(backend).withLoops(loops);
  }

  private static Protocol echo(Loop loop) {
    return (connection, input) -> {
      byte[] bytes = new byte[input.length()];
      input.copyTo(0, bytes, 0, bytes.length);
      connection.output().put(bytes);
      return bytes.length;
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"IO_URING", "EPOLL", "POLL", "JDK"})
  void everyLoopServesAndASecondServerIsRefused(Backend backend) throws Exception {
    try (Server server = Server.start(config(backend, 2, 0), ServerTest::echo)) {
      List<Socket> clients = new ArrayList<>();
      try {
        for (int i = 0; i < CONNECTIONS; i++) {
          clients.add(dial(server, i));
        }
        for (int i = 0; i < CONNECTIONS; i++) {
          assertThat(clients.get(i).getInputStream().read()).isEqualTo(i);
        }
      } finally {
        for (Socket client : clients) {
          client.close();
        }
      }
      assertThat(server.loops()).hasSize(2).allMatch(loop -> loop.counters().accepted() > 0);
      for (int loops = 1; loops <= 2; loops++) {
        ServerConfig second = config(backend, loops, server.port());
        assertThatThrownBy(() -> Server.start(second, ServerTest::echo).close())
            .isInstanceOf(IOException.class)
            .hasMessageContaining("EADDRINUSE")
            .hasMessageContaining("Fix: choose another port");
      }
    }
  }

  @Test
  void whatIsNotReadyKeepsTheServerFromListening() throws Exception {
    int port;
    try (Server server = Server.start(config(Backend.AUTO, 2, 0), ServerTest::echo)) {
      port = server.port();
    }
    Server.BeforeClients never =
        () -> {
          assertThatThrownBy(() -> new Socket("localhost", port).close())
              .isInstanceOf(IOException.class);
          throw new IOException("not ready");
        };
    ServerConfig config = config(Backend.AUTO, 2, port);
    assertThatThrownBy(() -> Server.start(config, ServerTest::echo, never).close())
        .isInstanceOf(IOException.class)
        .hasMessage("not ready");
    try (Server server = Server.start(config, ServerTest::echo);
        Socket client = dial(server, 7)) {
      assertThat(client.getInputStream().read()).isEqualTo(7);
    }
  }

  /// Rings of ordinary users are charged against RLIMIT_MEMLOCK: the first may be had, and not the
  /// second.
  @Test
  void whereNotAllLoopsGetTheBestEngineAllGetTheNext() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    AtomicInteger protocols = new AtomicInteger();
    AtomicInteger ready = new AtomicInteger();
    Backend best = Engines.choose(Backend.AUTO).backend();
    Server.EngineOpener engines =
        (choice, config) -> {
          if (choice.backend() == best && opened.incrementAndGet() > 1) {
            throw new IOException("no memory for another one");
          }
          return Engines.open(choice, config);
        };
    try (Server server =
        Server.start(
            config(Backend.AUTO, 3, 0),
            loop -> {
              protocols.incrementAndGet();
              return echo(loop);
            },
            ready::incrementAndGet,
            engines)) {
      assertThat(server.engine().backend()).isNotIn(best, Backend.AUTO);
      assertThat(server.engine().why()).contains(best + " not used: no memory for another one");
      assertThat(server.loops()).hasSize(3);
      assertThat(protocols).hasValue(3);
      assertThat(ready).hasValue(1);
      try (Socket client = dial(server, 7)) {
        assertThat(client.getInputStream().read()).isEqualTo(7);
      }
    }
    ServerConfig named = config(best, 3, 0);
    assertThatThrownBy(() -> Server.start(named, ServerTest::echo, () -> {}, engines).close())
        .isInstanceOf(IOException.class)
        .hasMessage("no memory for another one");
  }

  private static Socket dial(Server server, int greeting) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(greeting);
    return socket;
  }
}
