package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;

/// A loop on a [ScriptedEngine] with a clock that a test moves. Owned by the test's thread.
final class LoopRig implements AutoCloseable {
  static final LoopConfig CONFIG =
      new LoopConfig(100, 64 << 10, 8L << 20, 1 << 20, 30_000_000_000L, 2_000_000_000L);

  final ScriptedEngine engine = new ScriptedEngine(EngineConfig.DEFAULT.withChunks(16, 4096));
  final ArrayDeque<Runnable> slow = new ArrayDeque<>();
  final Loop loop;
  final Listener listener;
  long nanos = 1_000_000_000L;
  private @Nullable Connection latest;

  LoopRig(Protocol protocol) throws IOException {
    this(protocol, CONFIG);
  }

  LoopRig(Protocol protocol, LoopConfig config) throws IOException {
    loop = new Loop("rig", engine, config, () -> nanos, slow::add);
    listener = loop.listen(new InetSocketAddress(0), ListenOptions.DEFAULT, noting(protocol));
    loop.turn(0);
  }

  private Protocol noting(Protocol protocol) {
    return new Protocol() {
      @Override
      public void opened(Connection connection) {
        latest = connection;
        protocol.opened(connection);
      }

      @Override
      public int received(Connection connection, sluice.memory.View input) {
        return protocol.received(connection, input);
      }

      @Override
      public void overloaded(Connection connection) {
        protocol.overloaded(connection);
      }

      @Override
      public boolean waitsForPlace() {
        return protocol.waitsForPlace();
      }

      @Override
      public boolean mayMakeRoom(Connection connection) {
        return protocol.mayMakeRoom(connection);
      }

      @Override
      public void makesRoom(Connection connection) {
        protocol.makesRoom(connection);
      }

      @Override
      public void timedOut(Connection connection) {
        protocol.timedOut(connection);
      }

      @Override
      public void closed(Connection connection) {
        protocol.closed(connection);
      }
    };
  }

  /// A connection that the loop has accepted.
  Connection open() {
    engine.dial();
    loop.turn(0);
    return Objects.requireNonNull(latest);
  }

  byte[] wire(Connection connection) {
    return engine.wire(connection.socket);
  }

  void turns(int count) {
    for (int i = 0; i < count; i++) {
      runSlow();
      loop.turn(0);
    }
  }

  void runSlow() {
    for (Runnable task = slow.poll(); task != null; task = slow.poll()) {
      task.run();
    }
  }

  @Override
  public void close() {
    runSlow();
    loop.close();
    assertThat(loop.heldBytes()).isZero();
    assertThat(loop.connectionCount()).isZero();
  }
}
