package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Errno;

/// One answer to one deferred message, whatever its holder does wrong.
@Timeout(120)
class ReplyTicketTest {
  private final List<Integer> handled = new ArrayList<>();
  private @Nullable ReplyTicket ticket;
  private LoopRig rig;
  private Connection connection;

  /// Defers messages that begin with 1, and answers others with themselves.
  @BeforeEach
  void open() throws IOException {
    rig =
        new LoopRig((deferring, input) -> {
          handled.add((int) input.get(0));
          if (input.get(0) == 1) {
            ticket = deferring.defer();
          } else {
            deferring.output().put(input.get(0));
          }
          return 1;
        });
    connection = rig.open();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private ReplyTicket deferred() {
    rig.engine.arrive(connection.socket, new byte[] {1});
    rig.turns(1);
    return Objects.requireNonNull(ticket);
  }

  private static final class Counting implements ReplyTicket.Piece {
    int staged;
    int abandoned;

    @Override
    public void stage(Connection connection) {
      staged++;
      connection.output().put((byte) 9);
    }

    @Override
    public void abandoned() {
      abandoned++;
    }
  }

  @Test
  void answersOnceAndOpensTheGate() {
    ReplyTicket used = deferred();
    rig.engine.arrive(connection.socket, new byte[] {2});
    rig.turns(2);
    assertThat(handled).containsExactly(1);
    Counting piece = new Counting();
    used.append(piece);
    rig.turns(2);
    assertThat(handled).containsExactly(1);
    used.complete(piece);
    rig.turns(3);
    assertThat(handled).containsExactly(1, 2);
    assertThat(rig.wire(connection)).containsExactly(9, 9, 2);
    assertThat(piece.staged).isEqualTo(2);
    assertThat(connection.deferred()).isFalse();
  }

  @Test
  void secondAnswerIsRefused() {
    ReplyTicket used = deferred();
    Counting piece = new Counting();
    used.complete(piece);
    assertThatThrownBy(() -> used.complete(piece)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> used.append(piece)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> used.completeHere(piece)).isInstanceOf(IllegalStateException.class);
    rig.turns(2);
    assertThatThrownBy(() -> used.complete(piece)).isInstanceOf(IllegalStateException.class);
    assertThat(piece.staged).isEqualTo(1);
    assertThat(rig.wire(connection)).containsExactly(9);
  }

  /// An old ticket has no power over the next message.
  @Test
  void usedTicketDoesNotAnswerTheNextMessage() {
    ReplyTicket old = deferred();
    old.complete(new Counting());
    rig.turns(2);
    ReplyTicket next = deferred();
    assertThat(next).isNotSameAs(old);
    Counting late = new Counting();
    assertThatThrownBy(() -> old.append(late)).isInstanceOf(IllegalStateException.class);
    rig.turns(2);
    assertThat(connection.deferred()).isTrue();
    assertThat(late.staged + late.abandoned).isZero();
    next.complete(new Counting());
    rig.turns(2);
    assertThat(rig.wire(connection)).containsExactly(9, 9);
  }

  @Test
  void secondDeferIsRefused() throws IOException {
    List<Throwable> thrown = new ArrayList<>();
    try (LoopRig other =
        new LoopRig((deferring, input) -> {
          ReplyTicket first = deferring.defer();
          try {
            deferring.defer();
          } catch (IllegalStateException e) {
            thrown.add(e);
          }
          first.completeHere(c -> c.output().put((byte) 5));
          return 1;
        })) {
      Connection deferring = other.open();
      other.engine.arrive(deferring.socket, new byte[] {1});
      other.turns(3);
      assertThat(thrown).hasSize(1);
      assertThat(other.wire(deferring)).containsExactly(5);
    }
  }

  @Test
  void answerToAGoneConnectionIsAbandoned() {
    ReplyTicket used = deferred();
    rig.engine.end(connection.socket, -Errno.ECONNRESET);
    rig.turns(3);
    assertThat(rig.loop.connectionCount()).isZero();
    assertThat(used.gone()).isTrue();
    Counting first = new Counting();
    Counting last = new Counting();
    used.append(first);
    used.complete(last);
    rig.turns(2);
    assertThat(first.abandoned).isEqualTo(1);
    assertThat(last.abandoned).isEqualTo(1);
    assertThat(first.staged + last.staged).isZero();
  }

  @Test
  void pieceThatFailsEndsTheConnection() {
    ReplyTicket used = deferred();
    used.complete(c -> {
      throw new IllegalStateException("a piece that fails");
    });
    rig.turns(3);
    assertThat(rig.loop.counters().handlerFailures()).isEqualTo(1);
    assertThat(rig.loop.connectionCount()).isZero();
  }

  @Test
  void waitForRoomEndsWithTheConnection() throws InterruptedException {
    rig.engine.taking(length -> -Errno.EAGAIN);
    ReplyTicket used = deferred();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    used.append(c -> c.output().put(new byte[500_000]));
    Thread waiter = waiting(used, thrown);
    rig.turns(5);
    assertThat(waiter.isAlive()).isTrue();
    connection.abort();
    rig.turns(3);
    waiter.join(60_000);
    assertThat(waiter.isAlive()).isFalse();
    assertThat(thrown).hasNullValue();
    used.complete(new Counting());
    rig.turns(1);
  }

  @Test
  void waitForRoomEndsWhenThePeerReads() throws InterruptedException {
    rig.engine.taking(length -> -Errno.EAGAIN);
    ReplyTicket used = deferred();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    used.append(c -> c.output().put(new byte[500_000]));
    Thread waiter = waiting(used, thrown);
    rig.turns(5);
    assertThat(waiter.isAlive()).isTrue();
    rig.engine.taking(length -> length);
    rig.turns(20);
    waiter.join(60_000);
    assertThat(waiter.isAlive()).isFalse();
    assertThat(thrown).hasNullValue();
    used.complete(new Counting());
    rig.turns(3);
    assertThat(rig.wire(connection)).hasSize(500_001);
  }

  @Test
  void interruptedWaitForRoomSaysSo() throws InterruptedException {
    rig.engine.taking(length -> -Errno.EAGAIN);
    ReplyTicket used = deferred();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    used.append(c -> c.output().put(new byte[500_000]));
    rig.turns(5);
    Thread waiter = waiting(used, thrown);
    waiter.interrupt();
    waiter.join(60_000);
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    used.complete(new Counting());
    rig.turns(1);
    connection.abort();
    rig.turns(2);
  }

  private static Thread waiting(ReplyTicket ticket, AtomicReference<@Nullable Throwable> thrown) {
    return Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            ticket.awaitRoom();
          } catch (Throwable e) {
            thrown.set(e);
          }
        });
  }
}
