package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.loop.Connection;
import sluice.loop.LoopCounters;
import sluice.loop.Protocol;
import sluice.loop.ReplyTicket;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.LeaseLimits;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.testbase.Await;
import sluice.testkit.EngineContractPeers.Action;
import sluice.testkit.EngineContractPeers.Peer;

/// Tests of memory shortage: a connection that uses too much is limited, and the others continue.
interface LeaseContractPressure {
  int CHUNKS = 64;
  int CHUNK_BYTES = 4096;

  LeaseContractRig loops();

  private LoopCounters counters() {
    return loops().loop().counters();
  }

  private void echo(Peer peer, int bytes, int rounds) throws IOException {
    loops()
        .during(
            rounds + " messages of " + bytes,
            () -> {
              for (int i = 0; i < rounds; i++) {
                byte[] message = EngineContractRig.randomBytes(bytes, i);
                peer.write(message);
                assertThat(peer.read(bytes)).isEqualTo(message);
              }
            });
  }

  private static int echoAll(Connection connection, View input) {
    connection.output().append(input, 0, input.length());
    return input.length();
  }

  /// Checks that attackers, more than the arena has room for, starve no connection by holding all
  /// memory they are given forever.
  @Test
  default void quotasHeldForEverStarveNoConnection() throws IOException {
    List<Memory> kept = new ArrayList<>();
    loops()
        .configure(
            new EngineConfig(CHUNKS, CHUNK_BYTES, 1024),
            LeaseContractRig.PATIENT.withLeases(new LeaseLimits(4, 8192, 64 << 10)));
    loops()
        .serve((connection, input) -> {
          if (input.get(0) == 'k') {
            Memory memory = connection.retain(input, 0, input.length());
            if (memory != null) {
              kept.add(memory);
            }
          }
          return echoAll(connection, input);
        });
    int attackers = CHUNKS / 2;
    byte[] keep = new byte[1000];
    keep[0] = 'k';
    for (Peer attacker : loops().connect(attackers)) {
      loops()
          .during(
              "an attack",
              () -> {
                for (int i = 0; i < 20; i++) {
                  attacker.write(keep);
                  attacker.read(keep.length);
                }
              });
    }
    // The sum of all quotas if messages share chunks; otherwise three quarters of the arena.
    assertThat(counters().retainedByLease()).isBetween(CHUNKS * 3L / 4, 4L * attackers);
    assertThat(loops().loop().retainedBytes()).isBetween((64L << 10) - 1000, 64L << 10);
    assertThat(counters().retainsRefused()).isPositive();
    assertThat(loops().arena().free()).isGreaterThanOrEqualTo(CHUNKS / 4);
    long starved = counters().starvedReceives();
    for (Peer victim : loops().connect(4)) {
      echo(victim, 3000, 100);
    }
    assertThat(counters().starvedReceives()).isEqualTo(starved);
    assertThat(counters().overBudgetConnections()).isZero();
    kept.forEach(Memory::close);
    assertThat(loops().arena().free()).isEqualTo(CHUNKS);
    assertThat(loops().loop().retainedBytes()).isZero();
  }

  /// Checks that peers that do not read starve no others. Replies are sent from the chunks in which
  /// their requests arrived. Such peers occupy these chunks, but not the last quarter of the arena.
  @Test
  default void peersThatDoNotReadStarveNoOther() throws IOException {
    loops().configure(new EngineConfig(CHUNKS, CHUNK_BYTES, 1024), LeaseContractRig.PATIENT);
    Set<Connection> served = new LinkedHashSet<>();
    loops()
        .serve((connection, input) -> {
          served.add(connection);
          return echoAll(connection, input);
        });
    byte[] much = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 1);
    List<Peer> slow = loops().connect(3);
    List<EngineContractPeers.Task> writers = new ArrayList<>();
    for (Peer peer : slow) {
      writers.add(loops().peers.later(0, () -> peer.write(much)));
    }
    loops().turnUntil("output leaves the arena", () -> counters().chunksCopiedOut() > 0);
    do { // a writer without a processor is not held back yet
      loops().turnUntilQuiet();
    } while (counters().receivePauses() < slow.size()
        || served.size() < slow.size()
        || !served.stream().allMatch(Connection::outputFull));
    assertThat(loops().arena().free()).isGreaterThanOrEqualTo(CHUNKS / 4);
    long starved = counters().starvedReceives();
    echo(loops().connect(), 3000, 50);
    assertThat(counters().starvedReceives()).isEqualTo(starved);
    List<Action> readers = new ArrayList<>();
    for (Peer peer : slow) {
      readers.add(() -> assertThat(peer.read(much.length)).isEqualTo(much));
    }
    loops().during("reading at last", readers);
    for (EngineContractPeers.Task writer : writers) {
      writer.join();
    }
    loops().turnUntil("all is given back", () -> loops().loop().heldBytes() == 0);
    loops().turnUntil("all chunks", () -> loops().arena().free() == CHUNKS);
    assertThat(counters().overBudgetConnections()).isZero();
  }

  @Test
  default void emptyArenaHoldsBackAndRecovers() throws IOException {
    loops().configure(new EngineConfig(4, 256, 1024), LeaseContractRig.PATIENT);
    loops().serve(LeaseContractPressure::echoAll);
    byte[] bytes = EngineContractRig.randomBytes(32 << 10, 3);
    List<Action> talks = new ArrayList<>();
    List<Peer> peers = loops().connect(8);
    for (Peer peer : peers) {
      talks.add(() -> {
        peer.write(bytes);
        assertThat(peer.read(bytes.length)).isEqualTo(bytes);
      });
    }
    loops().during("echo through four chunks", talks);
    assertThat(counters().starvedReceives()).isPositive();
    assertThat(counters().receivedBytes()).isEqualTo(8L * bytes.length);
    loops().turnUntil("all chunks", () -> loops().arena().free() == 4);
    for (Peer peer : peers) {
      echo(peer, 1000, 2);
    }
  }

  /// Checks that unconsumed input leaves the arena before the turn ends.
  @Test
  default void partialMessagesHoldNoChunk() throws IOException {
    loops().configure(new EngineConfig(CHUNKS, CHUNK_BYTES, 1024), LeaseContractRig.PATIENT);
    loops().serve(new Lines());
    byte[] half = new byte[1000];
    List<Peer> peers = loops().connect(2 * CHUNKS);
    for (Peer peer : peers) {
      peer.write(half);
    }
    long all = (long) peers.size() * half.length;
    Await await = new Await();
    while (counters().receivedBytes() < all) {
      await.check("all bytes");
      loops().loop().turn(EngineContractRig.MILLIS);
      assertThat(loops().arena().free()).isEqualTo(CHUNKS);
    }
    assertThat(loops().loop().heldBytes()).isBetween(all, 2 * all);
    byte[] rest = {'\n'};
    for (Peer peer : peers) {
      loops()
          .during(
              "a whole line",
              () -> {
                peer.write(rest);
                assertThat(peer.read(half.length + 1)).endsWith('\n').startsWith(half);
              });
    }
    assertThat(loops().loop().heldBytes()).isZero();
  }

  @Test
  default void messageBeyondTheConnectionsCapEndsIt() throws IOException {
    loops()
        .configure(
            new EngineConfig(CHUNKS, CHUNK_BYTES, 1024),
            LeaseContractRig.PATIENT.withPartialBytes(8192, 64 << 20));
    loops().serve(new Lines());
    Peer honest = loops().connect();
    line(honest, 8000);
    Peer greedy = loops().connect();
    loops().during("a line without end", () -> writeUntilRefused(greedy));
    loops().turnUntil("the end of it", () -> counters().closed() == 1);
    assertThat(counters().oversizeMessages()).isEqualTo(1);
    line(honest, 8000);
    assertThat(loops().loop().heldBytes()).isZero();
  }

  @Test
  default void connectionBeyondTheLoopsBudgetEndsAlone() throws IOException {
    loops()
        .configure(
            new EngineConfig(CHUNKS, CHUNK_BYTES, 1024),
            LeaseContractRig.PATIENT.withPartialBytes(16 << 10, 32 << 10));
    loops().serve(new Lines());
    Peer honest = loops().connect();
    line(honest, 2000);
    for (Peer hoarder : loops().connect(10)) {
      loops().during("a hoarder", () -> writeUntilRefused(hoarder, 7));
      loops().turnAWhile();
    }
    loops().turnUntil("the connection beyond it", () -> counters().overBudgetConnections() > 0);
    loops()
        .turnUntil(
            "the end of these", () -> counters().closed() >= counters().overBudgetConnections());
    assertThat(counters().closed()).isEqualTo(counters().overBudgetConnections());
    assertThat(loops().loop().heldBytes()).isBetween(1L, 64L << 10);
    loops()
        .during(
            "an unfragmented line beside them",
            () -> {
              byte[] line = EngineContractRig.randomBytes(2000, 5);
              Arrays.fill(line, (byte) 1);
              line[1999] = '\n';
              honest.write(line);
              assertThat(honest.read(2000)).isEqualTo(line);
            });
  }

  /// Checks that input behind a message on the slow path is buffered up to the cap; then the peer
  /// has to wait.
  @Test
  default void inputBehindASlowMessageIsCappedAndNotLost() throws IOException {
    loops()
        .configure(
            new EngineConfig(CHUNKS, CHUNK_BYTES, 1024),
            LeaseContractRig.PATIENT.withPartialBytes(8192, 64 << 20));
    Deferring deferring = new Deferring();
    loops().serve(deferring);
    Peer peer = loops().connect();
    byte[] bytes = EngineContractRig.randomBytes(16 << 20, 6);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i % 1000 == 999 || i == bytes.length - 1 ? '\n' : bytes[i] | 64);
    }
    var writer = loops().peers.later(0, () -> peer.write(bytes));
    loops().turnUntil("the first line", () -> deferring.ticket() != null);
    loops().turnUntil("the cap", () -> counters().receivePauses() > 0);
    loops().turnAWhile();
    assertThat(loops().arena().free()).isEqualTo(CHUNKS);
    // Input that the turn had received before the receive was cancelled is kept, in a block of up
    // to twice its size.
    long held = loops().loop().heldBytes();
    assertThat(held).isBetween(8192L, 2L * (8192 + CHUNKS * CHUNK_BYTES));
    loops().turnAWhile();
    assertThat(loops().loop().heldBytes()).isEqualTo(held);
    deferring.answerAtOnce();
    loops().during("reading", () -> assertThat(peer.read(bytes.length)).isEqualTo(bytes));
    writer.join();
    assertThat(loops().loop().heldBytes()).isZero();
  }

  private void line(Peer peer, int bytes) throws IOException {
    byte[] line = new byte[bytes];
    line[bytes - 1] = '\n';
    loops()
        .during(
            "a line",
            () -> {
              peer.write(line);
              assertThat(peer.read(bytes)).isEqualTo(line);
            });
  }

  private static void writeUntilRefused(Peer peer) {
    writeUntilRefused(peer, 1000);
  }

  private static void writeUntilRefused(Peer peer, int pieces) {
    try {
      for (int i = 0; i < pieces; i++) {
        peer.write(new byte[1000]);
      }
    } catch (IOException expected) {
      assertThat(expected).isNotNull();
    }
  }

  /// Echoes whole lines.
  final class Lines implements Protocol {
    @Override
    public int received(Connection connection, View input) {
      int used = 0;
      int end = input.indexOf((byte) '\n', used, input.length());
      while (end >= 0 && !connection.outputFull()) {
        connection.output().append(input, used, end + 1 - used);
        used = end + 1;
        end = input.indexOf((byte) '\n', used, input.length());
      }
      return used;
    }
  }

  /// Passes the first line to the slow path, which answers when told to; echoes lines from then on.
  final class Deferring implements Protocol {
    private final Lines lines = new Lines();
    private byte[] first = {};
    private @Nullable ReplyTicket ticket;
    private boolean atOnce;

    @Nullable ReplyTicket ticket() {
      return ticket;
    }

    void answerAtOnce() {
      atOnce = true;
      ReplyTicket waiting = ticket;
      if (waiting != null) {
        byte[] answer = first;
        waiting.complete(connection -> connection.output().put(answer));
      }
    }

    @Override
    public int received(Connection connection, View input) {
      if (atOnce) {
        return lines.received(connection, input);
      }
      int end = input.indexOf((byte) '\n', 0, input.length());
      if (end < 0) {
        return 0;
      }
      first = new byte[end + 1];
      input.copyTo(0, first, 0, first.length);
      ticket = connection.defer();
      return first.length;
    }
  }
}
