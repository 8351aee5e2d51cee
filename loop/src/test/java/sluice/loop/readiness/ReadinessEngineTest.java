package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Completion;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.Transport;
import sluice.loop.server.Engines;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// What is particular to engines on readiness: how few system calls they make. The rest is in the
/// contract of all engines.
@Timeout(120)
class ReadinessEngineTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long ACCEPT = 1;
  private static final long RECEIVE = 2;
  private static final long SEND = 3;

  private final EngineConfig config = EngineConfig.DEFAULT.withChunks(16, 1024);
  private Engine engine;
  private Socket peer;
  private int socket;
  private int lastAccepted;

  @BeforeEach
  void connect() throws IOException {
    engine = EpollEngine.open(config);
    Transport sockets = engine.sockets();
    int listener =
        sockets.listen(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.DEFAULT);
    sockets.accept(listener, ACCEPT);
    engine.turn(0, (token, result, flags) -> {});
    peer = new Socket();
    peer.setTcpNoDelay(true);
    peer.setSoTimeout(60_000);
    peer.connect(sockets.localAddress(listener));
    Await await = new Await();
    for (socket = -1; socket < 0; ) {
      await.check("a connection");
      engine.turn(SECOND, (token, result, flags) -> socket = result);
    }
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
    engine.close();
  }

  private static void release(Engine engine, long flags) {
    engine.sockets().arena().block(Completion.chunk(flags)).release();
  }

  @Test
  void anEchoCostsThreeSystemCalls() throws IOException {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment reply = memory.allocate(10);
      engine.sockets().receive(socket, RECEIVE);
      long before = engine.systemCalls();
      for (int i = 0; i < 100; i++) {
        peer.getOutputStream().write(new byte[10]);
        int delivered = 0;
        Await await = new Await();
        while (delivered == 0) {
          await.check("a message");
          delivered = engine.turn(SECOND, (token, result, flags) -> release(engine, flags));
        }
        engine.sockets().send(socket, SEND, reply, 0, 10);
        engine.turn(0, (token, result, flags) -> {});
        assertThat(peer.getInputStream().readNBytes(10)).hasSize(10);
      }
      // wait, receive, send, and the wait of the second turn; registered once
      assertThat(engine.systemCalls() - before).isLessThan(4 * 100 + 10);
    }
  }

  /// Arming and disarming a quiet socket tells epoll nothing.
  @Test
  void togglingTheReceiveCostsNoSystemCall() {
    engine.sockets().receive(socket, RECEIVE);
    engine.turn(0, (token, result, flags) -> {});
    long before = engine.systemCalls();
    List<Integer> results = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      engine.cancel(RECEIVE);
      engine.turn(0, (token, result, flags) -> results.add(result));
      engine.sockets().receive(socket, RECEIVE);
      engine.turn(0, (token, result, flags) -> results.add(result));
    }
    assertThat(engine.systemCalls() - before).isEqualTo(100); // the waits
    assertThat(results).hasSize(50);
  }

  @Test
  void whatAFailingSinkDidNotTakeComesWithTheNextTurn() {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment bytes = memory.allocate(1);
      for (long token = 10; token < 13; token++) {
        engine.sockets().sendAll(socket, token, bytes, 0, 1);
      }
      List<Long> tokens = new ArrayList<>();
      assertThatThrownBy(() ->
              engine.turn(
                  0,
                  (token, result, flags) -> {
                    tokens.add(token);
                    throw new IllegalArgumentException("sink");
                  }))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(engine.turn(-1, (token, result, flags) -> tokens.add(token))).isEqualTo(2);
      assertThat(tokens).containsExactly(10L, 11L, 12L);
    }
  }

  @Test
  void acceptEndsWithEmfileWhenTheTableIsFull() throws IOException {
    for (Backend backend : List.of(Backend.EPOLL, Backend.POLL, Backend.JDK)) {
      try (Engine small = Engines.open(Engines.choose(backend), config.withMaxSockets(3))) {
        Transport sockets = small.sockets();
        int listener =
            sockets.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.DEFAULT);
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          peers.add(new Socket());
          peers.getLast().connect(sockets.localAddress(listener));
        }
        assertThat(accepted(small, listener))
            .satisfiesExactly(
                first -> assertThat(first).isNotNegative(),
                second -> assertThat(second).isNotNegative(),
                third -> assertThat(third).isEqualTo(-Errno.EMFILE));
        sockets.close(lastAccepted);
        assertThat(accepted(small, listener)).hasSize(2).endsWith(-Errno.EMFILE);
        for (Socket each : peers) {
          each.close();
        }
      }
    }
  }

  /// Results of accepting until it ends.
  private List<Integer> accepted(Engine from, int listener) {
    List<Integer> results = new ArrayList<>();
    from.sockets().accept(listener, ACCEPT);
    Await await = new Await();
    while (results.isEmpty() || results.getLast() >= 0) {
      await.check("the end of the accept");
      from.turn(
          SECOND,
          (token, result, flags) -> {
            results.add(result);
            lastAccepted = result >= 0 ? result : lastAccepted;
          });
    }
    return results;
  }

  /// A caller's mistake is reported once, and does not come back with every turn.
  @Test
  void segmentThatWasClosedFailsTheTurnOnce() {
    try (Arena memory = Arena.ofConfined()) {
      engine.sockets().send(socket, SEND, memory.allocate(1), 0, 1);
    }
    assertThatThrownBy(() -> engine.turn(0, (token, result, flags) -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThat(engine.turn(0, (token, result, flags) -> {})).isZero();
  }
}
