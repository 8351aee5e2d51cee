package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// How things end on every device: what completed is delivered before a failure is reported, a
/// wrong kind of wait loses nothing, and the same condition has the same exception.
@Timeout(240)
abstract class ViFaultContract {
  private static final int LONG = VisUnderTest.LONG_MICROS;
  private static final ViAttributes PLAIN = ViAttributes.DEFAULT;

  /// Opens the device, or skips the test with the reason.
  abstract Nic open() throws Exception;

  /// Reliability levels that the device has.
  abstract List<Reliability> levels();

  /// Connections that a test may make one after the other.
  int connections() {
    return 60;
  }

  VisUnderTest connect(ViAttributes attributes) throws Exception {
    return VisUnderTest.connect(open(), attributes);
  }

  private static Vi client(ViAddress place, int tag) throws ViException {
    return new Vi(place, PLAIN, null, null, tag);
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  // ---- what completed comes first ------------------------------------------------------------

  @Test
  void aReplyBeforeACloseIsHeard() throws Exception {
    try (Nic nic = open();
        VisUnderTest.Threads threads = new VisUnderTest.Threads()) {
      ViAddress place = VisUnderTest.place(nic);
      try (ViServer server = new ViServer(place, 1)) {
        Future<Boolean> serving =
            threads.start(() -> {
              for (int i = 0; i < connections(); i++) {
                try (Vi vi = server.accept(PLAIN, LONG)) {
                  byte[] request = vi.recv(LONG);
                  vi.send(request, 0, request.length);
                }
              }
              return true;
            });
        int heard = 0;
        for (int i = 0; i < connections(); i++) {
          try (Vi vi = client(place, 1)) {
            vi.send(new byte[] {(byte) i}, 0, 1);
            Thread.sleep(i % 3); // the close comes before the wait, with it, or behind it
            heard += hears(vi, i) ? 1 : 0;
          }
        }
        assertThat(heard).isEqualTo(connections());
        assertThat(get(serving)).isTrue();
      }
    }
  }

  private static boolean hears(Vi vi, int mark) throws ViException {
    try {
      return vi.recv(LONG)[0] == (byte) mark;
    } catch (ViPeerClosed lost) {
      return false;
    }
  }

  @Test
  void allMessagesBeforeACloseAreReceivedAtLevelOne() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      for (int i = 0; i < 20; i++) {
        vis.server.send(new byte[] {(byte) i}, 0, 1, LONG);
      }
      vis.server.close();
      for (int i = 0; i < 20; i++) {
        assertThat(vis.client.recv(LONG)).containsExactly(i);
      }
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(() -> vis.client.recv(LONG));
    }
  }

  @Test
  void allMessagesBeforeACloseAreReceivedAtLevelTwo() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      for (int i = 0; i < 4; i++) {
        vis.client.recvBufPost(vis.buffer(vis.client, 10), 0);
      }
      for (int i = 0; i < 20; i++) {
        vis.server.send(new byte[] {(byte) i}, 0, 1, LONG);
      }
      vis.server.close();
      for (int i = 0; i < 20; i++) {
        ViBufferTicket got = (ViBufferTicket) vis.client.recvBufWait(LONG);
        assertThat(got.buffer().bytes().get(0)).isEqualTo((byte) i);
        vis.client.recvBufPost(got, 0);
      }
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(() -> vis.client.recvBufWait(LONG));
    }
  }

  /// The same with tickets of the caller's.
  @Test
  void postedTicketsAreReturnedBeforeTheEnd() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      for (int i = 0; i < 3; i++) {
        vis.client.recvPost(new ViBATicket(new byte[10], 0));
      }
      for (int i = 0; i < 9; i++) {
        vis.server.send(new byte[] {(byte) i}, 0, 1, LONG);
      }
      vis.server.close();
      for (int i = 0; i < 9; i++) {
        ViBATicket got = vis.client.recvWait(LONG);
        assertThat(got.byteArray()[0]).isEqualTo((byte) i);
        vis.client.recvPost(got);
      }
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(() -> vis.client.recvWait(LONG));
    }
  }

  @Test
  void aFailedSendLosesNoMessage() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      vis.server.send(new byte[] {1}, 0, 1, LONG);
      assertThat(vis.client.recv(LONG)).containsExactly(1); // others are posted from here on
      vis.server.send(new byte[] {2}, 0, 1, LONG);
      vis.server.send(new byte[] {3}, 0, 1, LONG);
      vis.server.close();
      Await.until("a send that fails", () -> fails(vis.client));
      assertThat(vis.client.recv(LONG)).containsExactly(2);
      assertThat(vis.client.recv(LONG)).containsExactly(3);
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(() -> vis.client.recv(LONG));
    }
  }

  private static boolean fails(Vi vi) throws ViException {
    try {
      vi.send(new byte[1], 0, 1, 10_000);
      return false;
    } catch (ViTimeout e) {
      return false;
    } catch (ViPeerClosed e) {
      return true;
    }
  }

  // ---- a wrong kind of wait ------------------------------------------------------------------

  @Test
  void aWaitOfTheOtherLevelIsRefusedAndLosesNothing() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      ViBufferTicket in = vis.buffer(vis.server, 10);
      vis.server.recvBufPost(in, 0);
      vis.client.send(new byte[] {7}, 0, 1);
      assertThatIllegalStateException()
          .isThrownBy(() -> vis.server.recvWait(LONG))
          .withMessageContaining("recvBufWait");
      assertThatIllegalStateException().isThrownBy(() -> vis.server.recv(LONG));
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(in);
      assertThat(in.buffer().bytes().get(0)).isEqualTo((byte) 7);

      ViBATicket room = new ViBATicket(new byte[10], 0);
      vis.server.recvPost(room);
      vis.client.send(new byte[] {8}, 0, 1);
      assertThatIllegalStateException()
          .isThrownBy(() -> vis.server.recvBufWait(LONG))
          .withMessageContaining("recvWait");
      assertThatIllegalStateException().isThrownBy(() -> vis.server.recv(LONG));
      assertThat(vis.server.recvWait(LONG)).isSameAs(room);
      assertThat(room.byteArray()[0]).isEqualTo((byte) 8);

      assertThatExceptionOfType(ViTimeout.class).isThrownBy(() -> vis.server.recv(0));
      vis.client.send(new byte[] {9}, 0, 1);
      assertThatIllegalStateException().isThrownBy(() -> vis.server.recvWait(LONG));
      assertThatIllegalStateException().isThrownBy(() -> vis.server.recvBufWait(LONG));
      assertThat(vis.server.recv(LONG)).containsExactly(9);

      ViBufferTicket out = vis.buffer(vis.client, 10);
      vis.client.sendBufPost(out, 0, 1);
      assertThatIllegalStateException().isThrownBy(() -> vis.client.send(new byte[1], 0, 1));
      assertThat(vis.client.sendBufWait(LONG)).isSameAs(out);
      assertThat(vis.server.recv(LONG)).hasSize(1);
    }
  }

  @Test
  void levelOneDoesNotSendIntoACompletionQueue() throws Exception {
    ViCompletionQ done = new ViCompletionQ(PLAIN);
    try (VisUnderTest vis = VisUnderTest.connect(open(), PLAIN, done, null)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> vis.client.send(new byte[1], 0, 1))
          .withMessageContaining("completion queue");
      assertThatExceptionOfType(ViTimeout.class).isThrownBy(() -> vis.server.recv(1000));
      assertThat(done.poll()).isNull();
    }
  }

  // ---- the side at fault ---------------------------------------------------------------------

  @Test
  void connectingSaysWhichSideIsAtFault() throws Exception {
    try (Nic nic = open();
        VisUnderTest.Threads threads = new VisUnderTest.Threads()) {
      ViAddress place = VisUnderTest.place(nic);
      ViAddress wrong = nic.address("");
      assertThatExceptionOfType(ViRefused.class).isThrownBy(() -> client(place, 1));
      assertThatExceptionOfType(ViMisconfigured.class).isThrownBy(() -> client(wrong, 1));
      assertThatExceptionOfType(ViMisconfigured.class).isThrownBy(() -> new ViServer(wrong, 1));
      ViServer server = new ViServer(place, 1);
      assertThatExceptionOfType(ViMisconfigured.class).isThrownBy(() -> new ViServer(place, 1));
      assertThatExceptionOfType(ViRefused.class).isThrownBy(() -> client(place, 2));
      assertThatExceptionOfType(ViTimeout.class).isThrownBy(() -> server.accept(PLAIN, 10_000));
      ViAttributes hasty = PLAIN.withConnectMicros(50_000);
      assertThatExceptionOfType(ViTimeout.class)
          .isThrownBy(() -> new Vi(place, hasty, null, null, 1));
      Future<@Nullable Throwable> unheard = threads.fault(() -> client(place, 1));
      Await.until("a client that waits, or is refused", () -> waitsABit(unheard));
      server.close();
      assertThat(get(unheard)).isInstanceOf(ViRefused.class);
      assertThatExceptionOfType(ViClosed.class).isThrownBy(() -> server.accept(PLAIN, LONG));
      ViServer next = new ViServer(place, 1);
      Future<@Nullable Throwable> accepting = threads.fault(() -> next.accept(PLAIN, LONG));
      next.close();
      assertThat(get(accepting)).isInstanceOf(ViClosed.class);
    }
  }

  private static boolean waitsABit(Future<?> future) throws InterruptedException {
    Thread.sleep(300);
    return !future.isDone();
  }

  @Test
  void anotherReliabilityIsRefusedAtBothEnds() throws Exception {
    if (levels().size() < 2) {
      return; // OfiViContract: refused when a VI is made
    }
    try (Nic nic = open();
        VisUnderTest.Threads threads = new VisUnderTest.Threads()) {
      ViAddress place = VisUnderTest.place(nic);
      ViAttributes one = PLAIN.withReliability(levels().get(0));
      ViAttributes other = PLAIN.withReliability(levels().get(1));
      try (ViServer server = new ViServer(place, 1)) {
        Future<@Nullable Throwable> accepting = threads.fault(() -> server.accept(one, LONG));
        assertThatExceptionOfType(ViRefused.class)
            .isThrownBy(() -> new Vi(place, other, null, null, 1));
        assertThat(get(accepting)).isInstanceOf(ViRefused.class);
      }
    }
  }

  @Test
  void aClosedEndTellsBothSides() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      Future<@Nullable Throwable> waiting = vis.fault(() -> vis.server.recv(LONG));
      vis.client.close();
      assertThat(get(waiting)).isInstanceOf(ViPeerClosed.class);
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(() -> vis.server.recv(LONG));
      assertThatExceptionOfType(ViPeerClosed.class)
          .isThrownBy(() -> vis.server.send(new byte[1], 0, 1, LONG));
      assertThatExceptionOfType(ViClosed.class)
          .isThrownBy(() -> vis.client.send(new byte[1], 0, 1, LONG));
      assertThatExceptionOfType(ViClosed.class).isThrownBy(() -> vis.client.recv(LONG));
    }
  }

  @Test
  void aClosedDeviceEndsWhatIsOpen() throws Exception {
    Nic nic = open();
    ViAddress place = VisUnderTest.place(nic);
    try (VisUnderTest vis = VisUnderTest.connect(nic, PLAIN);
        ViServer server = new ViServer(place, 1)) {
      Future<@Nullable Throwable> accepting = vis.fault(() -> server.accept(PLAIN, Vi.INFINITE));
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      Future<@Nullable Throwable> waiting = vis.fault(() -> vis.server.recvBufWait(Vi.INFINITE));
      nic.close();
      nic.close();
      assertThat(get(accepting)).isInstanceOf(ViClosed.class);
      // Both ends are of this device, which ends them in turn.
      assertThat(get(waiting)).isInstanceOf(ViClosed.class);
      assertThatExceptionOfType(ViClosed.class)
          .isThrownBy(() -> vis.client.send(new byte[1], 0, 1, LONG));
      for (Vi end : List.of(vis.client, vis.server)) {
        assertThat(end.failure()).isEqualTo("the device was closed");
      }
      assertThatExceptionOfType(ViClosed.class).isThrownBy(() -> client(place, 1));
      assertThatExceptionOfType(ViClosed.class).isThrownBy(() -> new ViServer(place, 1));
    }
  }

  /// Its server is of the same device, and ends first.
  @Test
  void aClosedDeviceEndsAClientThatConnects() throws Exception {
    Nic nic = open();
    ViAddress place = VisUnderTest.place(nic);
    try (VisUnderTest.Threads threads = new VisUnderTest.Threads();
        ViServer _ = new ViServer(place, 1)) {
      Future<@Nullable Throwable> connecting = threads.fault(() -> client(place, 1));
      Thread.sleep(200); // until it waits to be accepted
      nic.close();
      assertThat(get(connecting)).isInstanceOf(ViClosed.class);
    }
  }

  @Test
  void aMessageThatIsTooLongIsTheReceiversFault() throws Exception {
    try (VisUnderTest vis = connect(PLAIN)) {
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      vis.client.send(new byte[100], 0, 100);
      assertThatExceptionOfType(ViMisconfigured.class)
          .isThrownBy(() -> vis.server.recvBufWait(LONG))
          .withMessageContaining("longer than the receive it met");
      assertThatExceptionOfType(ViPeerLost.class).isThrownBy(() -> vis.client.recv(LONG));
    }
  }

  @Test
  void whatCannotBePostedIsTheCallersFault() throws Exception {
    ViAttributes small = PLAIN.withDepths(1, 1).withTransferBytes(1000);
    try (VisUnderTest vis = connect(small)) {
      ViBufferTicket in = vis.buffer(vis.server, 10);
      ViBufferTicket large = vis.buffer(vis.client, 2000);
      assertThatExceptionOfType(ViMisconfigured.class)
          .isThrownBy(() -> vis.client.sendBufPost(large, 0, 1001));
      assertThatExceptionOfType(ViMisconfigured.class)
          .isThrownBy(() -> vis.client.sendBufPost(in, 0, 1));
      vis.server.recvBufPost(in, 0);
      ViBufferTicket more = vis.buffer(vis.server, 10);
      assertThatExceptionOfType(ViMisconfigured.class)
          .isThrownBy(() -> vis.server.recvBufPost(more, 0));
    }
  }

  @Test
  void aTicketOfACompletionQueueSaysWhichSideIsAtFault() throws Exception {
    ViCompletionQ done = new ViCompletionQ(PLAIN);
    try (VisUnderTest vis = VisUnderTest.connect(open(), PLAIN, null, done)) {
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      vis.client.send(new byte[1], 0, 1);
      vis.client.close();
      done.await(LONG).check();
      ViTicket failed = done.await(LONG);
      assertThatExceptionOfType(ViPeerClosed.class).isThrownBy(failed::check);
    }
  }
}
