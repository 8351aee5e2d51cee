package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.LeaseLimits;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.testkit.EngineContractPeers.Peer;

/// Tests of input that outlives its handler: a snapshot that any thread may use until its last
/// lease is released.
interface LeaseContractRetain {
  int MESSAGE_BYTES = 256;

  LeaseContractRig loops();

  /// Retains every message and echoes it.
  final class Keeper implements Protocol {
    final List<Memory> kept = new ArrayList<>();
    int refused;

    @Override
    public int received(Connection connection, View input) {
      int used = 0;
      while (input.length() - used >= MESSAGE_BYTES) {
        Memory memory = connection.retain(input, used, MESSAGE_BYTES);
        if (memory == null) {
          refused++;
        } else {
          kept.add(memory);
        }
        connection.output().append(input, used, MESSAGE_BYTES);
        used += MESSAGE_BYTES;
      }
      return used;
    }

    byte[] bytes(int index) {
      byte[] bytes = new byte[MESSAGE_BYTES];
      kept.get(index).copyTo(0, bytes, 0, MESSAGE_BYTES);
      return bytes;
    }

    void closeAll() {
      kept.forEach(Memory::close);
      kept.clear();
    }
  }

  private static byte[] message(int number) {
    return EngineContractRig.randomBytes(MESSAGE_BYTES, number);
  }

  private void exchange(Peer peer, int number) throws IOException {
    loops()
        .during(
            "message " + number,
            () -> {
              peer.write(message(number));
              assertThat(peer.read(MESSAGE_BYTES)).isEqualTo(message(number));
            });
  }

  @Test
  default void retainedInputIsASnapshotForAnyThread() throws IOException {
    Keeper keeper = new Keeper();
    loops()
        .configure(
            new EngineConfig(8, 1024, 64),
            LeaseContractRig.PATIENT.withLeases(new LeaseLimits(1, 1 << 20, 1 << 20)));
    loops().serve(keeper);
    Peer peer = loops().connect();
    exchange(peer, 0);
    int free = loops().arena().free();
    for (int i = 1; i < 60; i++) { // each chunk is used several times
      exchange(peer, i);
    }
    assertThat(keeper.kept).hasSize(60);
    assertThat(loops().loop().counters().retainedByLease()).isEqualTo(1);
    assertThat(loops().loop().counters().retainedByCopy()).isEqualTo(59);
    loops()
        .elsewhere(() -> {
          for (int i = 0; i < 60; i++) {
            assertThat(keeper.bytes(i)).isEqualTo(message(i));
            assertThat(keeper.kept.get(i).isReadOnly()).isTrue();
          }
        });
    assertThat(loops().loop().retainedBytes()).isEqualTo(59 * MESSAGE_BYTES);
    assertThat(loops().arena().free()).isEqualTo(free);
    loops().elsewhere(keeper::closeAll);
    loops().loop().turn(0);
    assertThat(loops().arena().free()).isEqualTo(free + 1);
    assertThat(loops().loop().retainedBytes()).isZero();
  }

  @Test
  default void messagesOfOneChunkShareItsLease() throws IOException {
    Keeper keeper = new Keeper();
    loops()
        .configure(
            new EngineConfig(16, 2048, 64),
            LeaseContractRig.PATIENT.withLeases(new LeaseLimits(1, 0, 0)));
    loops().serve(keeper);
    Peer peer = loops().connect();
    int free = loops().arena().free();
    byte[] four = EngineContractRig.randomBytes(4 * MESSAGE_BYTES, 1);
    loops()
        .during(
            "four messages",
            () -> {
              peer.write(four);
              assertThat(peer.read(four.length)).isEqualTo(four);
            });
    assertThat(keeper.refused).isZero();
    assertThat(keeper.kept).hasSize(4);
    assertThat(loops().arena().free()).isEqualTo(free - 1);
    exchange(peer, 2);
    assertThat(keeper.refused).isEqualTo(1);
    for (int i = 0; i < 4; i++) {
      int from = i * MESSAGE_BYTES;
      assertThat(keeper.bytes(i)).isEqualTo(Arrays.copyOfRange(four, from, from + MESSAGE_BYTES));
    }
    for (Memory memory : keeper.kept.subList(0, 3)) {
      memory.close();
    }
    assertThat(loops().arena().free()).isEqualTo(free - 1);
    keeper.closeAll();
    assertThat(loops().arena().free()).isEqualTo(free);
    exchange(peer, 3);
    assertThat(keeper.kept).hasSize(1);
    keeper.closeAll();
  }

  @Test
  default void quotaThenCopyThenRefusal() throws IOException {
    Keeper keeper = new Keeper();
    loops()
        .configure(
            new EngineConfig(64, 1024, 64),
            LeaseContractRig.PATIENT.withLeases(
                new LeaseLimits(4, 3 * MESSAGE_BYTES, 5 * MESSAGE_BYTES)));
    loops().serve(keeper);
    Peer first = loops().connect();
    Peer second = loops().connect();
    var counters = loops().loop().counters();
    for (int i = 0; i < 10; i++) {
      exchange(first, i);
    }
    assertThat(counters.retainedByLease()).isEqualTo(4);
    assertThat(counters.retainedByCopy()).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      exchange(second, i);
    }
    assertThat(counters.retainedByLease()).isEqualTo(8);
    assertThat(counters.retainedByCopy()).isEqualTo(5);
    assertThat(counters.retainsRefused()).isEqualTo(7);
    assertThat(keeper.refused).isEqualTo(7);
    keeper.closeAll();
    assertThat(loops().loop().retainedBytes()).isZero();
    exchange(first, 10);
    assertThat(counters.retainedByLease()).isEqualTo(9);
    keeper.closeAll();
  }

  @Test
  default void retainedInputOutlivesConnectionLoopAndEngine() throws IOException {
    Keeper keeper = new Keeper();
    loops()
        .configure(
            new EngineConfig(16, 1024, 64),
            LeaseContractRig.PATIENT.withLeases(new LeaseLimits(2, 1 << 20, 1 << 20)));
    loops().serve(keeper);
    Peer peer = loops().connect();
    for (int i = 0; i < 4; i++) {
      exchange(peer, i);
    }
    peer.close();
    loops().turnUntil("the end", () -> loops().loop().connectionCount() == 0);
    loops().loop().close();
    loops()
        .elsewhere(() -> {
          for (int i = 0; i < 4; i++) {
            assertThat(keeper.bytes(i)).isEqualTo(message(i));
          }
          keeper.kept.get(0).close();
          keeper.kept.get(3).close();
        });
    assertThat(keeper.bytes(1)).isEqualTo(message(1));
    assertThat(keeper.bytes(2)).isEqualTo(message(2));
    Memory last = keeper.kept.get(1);
    keeper.closeAll();
    assertThat(loops().loop().retainedBytes()).isZero();
    assertThatThrownBy(() -> last.get(0)).isInstanceOf(IllegalStateException.class);
  }

  /// Checks that fragmented messages are copied, because the connection assembles them in its own
  /// memory, which changes later.
  @Test
  default void assembledMessagesAreCopied() throws IOException {
    Keeper keeper = new Keeper();
    loops().serve(keeper);
    Peer peer = loops().connect();
    for (int i = 0; i < 5; i++) {
      byte[] message = message(i);
      long received = loops().loop().counters().receivedBytes() + 100;
      peer.write(Arrays.copyOf(message, 100));
      loops()
          .turnUntil("the first part", () -> loops().loop().counters().receivedBytes() == received);
      loops()
          .during(
              "the rest",
              () -> {
                peer.write(Arrays.copyOfRange(message, 100, MESSAGE_BYTES));
                assertThat(peer.read(MESSAGE_BYTES)).isEqualTo(message);
              });
    }
    assertThat(loops().loop().counters().retainedByCopy()).isEqualTo(5);
    for (int i = 0; i < 5; i++) {
      assertThat(keeper.bytes(i)).isEqualTo(message(i));
    }
    keeper.closeAll();
  }

  @Test
  default void onlyInputBeingHandledIsRetained() throws IOException {
    AtomicReference<@Nullable View> view = new AtomicReference<>();
    AtomicReference<@Nullable Connection> other = new AtomicReference<>();
    List<Memory> kept = new ArrayList<>();
    Protocol protocol =
        new Protocol() {
          @Override
          public int received(Connection connection, View input) {
            view.set(input);
            Connection before = other.getAndSet(connection);
            if (before != null) {
              assertThatThrownBy(() -> before.retain(input, 0, 1))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("another connection");
            }
            for (int[] range :
                new int[][] {{-1, 1}, {0, 0}, {0, 9}, {8, 1}, {1, Integer.MAX_VALUE}}) {
              assertThatThrownBy(() -> connection.retain(input, range[0], range[1]))
                  .isInstanceOf(IndexOutOfBoundsException.class);
            }
            kept.add(Objects.requireNonNull(connection.retain(input, 7, 1)));
            connection.output().append(input, 0, input.length());
            return input.length();
          }
        };
    loops().serve(protocol);
    for (int i = 0; i < 2; i++) {
      Peer peer = loops().connect();
      loops()
          .during(
              "eight bytes",
              () -> {
                peer.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
                peer.read(8);
              });
    }
    assertThat(loops().loop().counters().handlerFailures()).isZero();
    Connection connection = Objects.requireNonNull(other.get());
    View late = Objects.requireNonNull(view.get());
    assertThatThrownBy(() -> connection.retain(late, 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no input");
    assertThat(kept).hasSize(2).allMatch(memory -> memory.get(0) == 8);
    kept.forEach(Memory::close);
  }

  /// Checks that retained input survives a handler that fails and ends its connection.
  @Test
  default void retainedByAHandlerThatFails() throws IOException {
    List<Memory> kept = new ArrayList<>();
    loops()
        .serve((connection, input) -> {
          kept.add(Objects.requireNonNull(connection.retain(input, 0, input.length())));
          throw new IllegalStateException("a handler that fails");
        });
    int free = loops().arena().free();
    Peer peer = loops().connect();
    peer.write(new byte[] {1, 2, 3});
    loops().turnUntil("the end", () -> loops().loop().counters().closed() == 1);
    assertThat(loops().loop().counters().handlerFailures()).isEqualTo(1);
    assertThat(kept.getFirst().get(2)).isEqualTo((byte) 3);
    assertThat(loops().arena().free()).isEqualTo(free - 1);
    kept.forEach(Memory::close);
    assertThat(loops().arena().free()).isEqualTo(free);
  }
}
