package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Engine;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.Transport;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testkit.EngineContractPeers.Action;
import sluice.testkit.EngineContractRig.Event;

/// Tests of thread ownership and of closing.
interface EngineContractLife {
  EngineContractRig rig();

  @Test
  default void systemCallsAreCounted() throws IOException {
    long before = rig().engine().systemCalls();
    rig().turn(0);
    rig().turn(0);
    assertThat(rig().engine().systemCalls()).isGreaterThan(before);
    assertThat(rig().engine().name()).isNotEmpty();
  }

  @Test
  default void onlyTheOwnerCalls() throws IOException {
    Engine engine = rig().engine();
    Transport sockets = rig().sockets();
    int socket = rig().pair().socket();
    MemorySegment bytes = rig().segment(new byte[10]);
    List<Action> calls =
        List.of(
            () -> engine.turn(0, (token, result, flags) -> {}),
            () -> engine.cancel(1),
            engine::close,
            () -> sockets.receive(socket, 2),
            () -> sockets.send(socket, 3, bytes, 0, 1),
            () -> sockets.sendAll(socket, 4, bytes, 0, 1),
            () -> sockets.awaitWritable(socket, 5),
            () -> sockets.shutdown(socket, 2),
            () -> sockets.close(socket),
            () -> sockets.listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT));
    for (Action call : calls) {
      elsewhere(() -> assertThatThrownBy(call::run).isInstanceOf(WrongThreadException.class));
    }
    assertThat(rig().turn(0)).isZero();
  }

  private static void elsewhere(Runnable action) {
    Thread thread = Thread.ofPlatform().unstarted(action);
    var failures = new java.util.concurrent.atomic.AtomicReference<Throwable>();
    thread.setUncaughtExceptionHandler((where, failure) -> failures.set(failure));
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(failures.get()).isNull();
  }

  @Test
  default void useAfterCloseIsRefused() throws IOException {
    Engine engine = rig().engine();
    Transport sockets = rig().sockets();
    rig().turn(0);
    engine.close();
    engine.close();
    engine.wake();
    List<Action> calls =
        List.of(
            () -> engine.turn(0, (token, result, flags) -> {}),
            () -> engine.cancel(1),
            () -> sockets.receive(0, 2),
            () -> sockets.close(0),
            () -> sockets.listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT));
    for (Action call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @Test
  default void whatWaitsIsAcceptedBeforeTheListenerCloses() throws IOException {
    var first = rig().dial();
    var second = rig().dial();
    if (!rig().acceptRestAndClose()) {
      assertThat(rig().accepted(first).socket()).isNotNegative();
      assertThat(rig().accepted(second).socket()).isNotNegative();
      assertThat(rig().accepted(rig().dial()).socket()).isNotNegative();
      return;
    }
    for (int i = 0; i < 2; i++) {
      Event accepted = rig().awaitAccept();
      assertThat(accepted.result()).isNotNegative();
      assertThat(accepted.more()).isTrue();
    }
    Event last = rig().awaitAccept();
    assertThat(last.result()).isEqualTo(-Errno.ECANCELED);
    assertThat(last.more()).isFalse();
    assertThatThrownBy(() -> rig().dial()).isInstanceOf(IOException.class);
  }

  @Test
  default void closeEndsWhatIsInFlight() throws IOException {
    var receiving = rig().pair();
    var sending = rig().pair();
    var listener = rig().keep(rig().peers.listen());
    MemorySegment bytes = rig().segment(new byte[EngineContractSend.MORE_THAN_FITS]);
    rig().sockets().receive(receiving.socket(), rig().token());
    rig().sockets().sendAll(sending.socket(), rig().token(), bytes, 0, (int) bytes.byteSize());
    rig().turn(0);
    rig().sockets().connect(listener.address(), rig().token());
    rig().sockets().awaitWritable(receiving.socket(), rig().token());
    rig().engine().close();
    assertThat(receiving.peer().readsEnd()).isTrue();
    assertThatThrownBy(() -> sending.peer().read((int) bytes.byteSize()))
        .isInstanceOf(IOException.class);
  }

  @Test
  default void leasedChunkOutlivesTheEngine() throws IOException {
    var pair = rig().pair();
    rig().holdChunks();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    pair.peer().write(new byte[] {1, 2, 3});
    var event = rig().await(token);
    Block block = Objects.requireNonNull(event.chunk());
    rig().engine().close();
    assertThat(block.segment().asSlice(event.offset(), 3).toArray(ValueLayout.JAVA_BYTE))
        .containsExactly(1, 2, 3);
    block.release();
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void engineClosedByItsSinkDeliversNoMore() throws IOException {
    var a = rig().pair();
    var b = rig().pair();
    long ofA = rig().token();
    rig().sockets().sendAll(a.socket(), ofA, rig().segment(new byte[1]), 0, 1);
    rig().sockets().sendAll(b.socket(), rig().token(), rig().segment(new byte[1]), 0, 1);
    Engine engine = rig().engine();
    List<Long> delivered = new ArrayList<>();
    while (delivered.isEmpty()) {
      rig()
          .turn(
              -1,
              (token, result, flags) -> {
                delivered.add(token);
                engine.close();
              });
    }
    assertThat(delivered).hasSize(1);
    var told = delivered.getFirst() == ofA ? a : b;
    assertThat(told.peer().read(1)).containsExactly(0);
  }

  @Test
  default void turnWithinATurnIsRefused() throws IOException {
    var pair = rig().pair();
    rig().sockets().sendAll(pair.socket(), rig().token(), rig().segment(new byte[1]), 0, 1);
    Engine engine = rig().engine();
    int[] refused = new int[1];
    while (refused[0] == 0) {
      rig()
          .turn(
              -1,
              (token, result, flags) -> {
                assertThatThrownBy(() -> engine.turn(0, (t, r, f) -> {}))
                    .isInstanceOf(IllegalStateException.class);
                refused[0]++;
              });
    }
  }

  @Test
  default void heapSegmentsAndRangesOutsideAreRefused() throws IOException {
    int socket = rig().pair().socket();
    MemorySegment bytes = rig().segment(new byte[10]);
    var sockets = rig().sockets();
    assertThatThrownBy(() -> sockets.send(socket, 1, bytes, 5, 6))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> sockets.sendAll(socket, 1, bytes, -1, 6))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> sockets.send(socket, 1, MemorySegment.ofArray(new byte[4]), 0, 4))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(rig().turn(0)).isZero();
  }
}
