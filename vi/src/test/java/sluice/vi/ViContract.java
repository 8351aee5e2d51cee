package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// What every device does alike. A test class for each device says how to open it.
@Timeout(240)
abstract class ViContract extends ViFaultContract {
  static final int LONG = VisUnderTest.LONG_MICROS;

  /// Longest message that arrives while its sender does not poll.
  int withoutTheSender() {
    return 65_536;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 47, 48, 49, 64, 4095, 4096, 65_536})
  void aMessageArrivesAsItWasSent(int length) throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket from = vis.buffer(vis.client, Math.max(1, length));
      ViBufferTicket to = vis.buffer(vis.server, 65_536);
      byte[] sent = VisUnderTest.fill(from, length);
      vis.server.recvBufPost(to, 0);
      vis.client.sendBufPost(from, 0, length);
      Future<? extends @Nullable ViTicket> sending =
          length > withoutTheSender()
              ? vis.beside(() -> vis.client.sendBufWait(LONG))
              : CompletableFuture.completedFuture(null);
      ViTicket got = vis.server.recvBufWait(LONG);
      assertThat(got).isSameAs(to);
      assertThat(got.isDone()).isTrue();
      assertThat(got.length()).isEqualTo(length);
      assertThat(got.failure()).isNull();
      ViTicket early = sending.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(early == null ? vis.client.sendBufWait(LONG) : early).isSameAs(from);
      assertThat(from.length()).isEqualTo(length);
      assertThat(VisUnderTest.content(to, length)).isEqualTo(java.util.Arrays.copyOf(sent, length));
    }
  }

  @ParameterizedTest
  @EnumSource(WaitMode.class)
  void messagesGoBothWaysInOrder(WaitMode mode) throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withWaiting(mode))) {
      Future<Integer> echo = vis.beside(() -> echo(vis, 300));
      ViBufferTicket out = vis.buffer(vis.client, 2000);
      ViBufferTicket in = vis.buffer(vis.client, 2000);
      for (int i = 0; i < 300; i++) {
        int length = 1 + i * 6;
        byte[] sent = VisUnderTest.fill(out, i);
        vis.client.recvBufPost(in, 0);
        vis.client.sendBufPost(out, 0, length);
        assertThat(vis.client.recvBufWait(LONG).length()).isEqualTo(length);
        ViTicket _ = vis.client.sendBufWait(LONG);
        assertThat(VisUnderTest.content(in, length))
            .isEqualTo(java.util.Arrays.copyOf(sent, length));
      }
      assertThat(echo.get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo(300);
    }
  }

  private static int echo(VisUnderTest vis, int count) throws Exception {
    ViBufferTicket in = vis.buffer(vis.server, 2000);
    ViBufferTicket out = vis.buffer(vis.server, 2000);
    for (int i = 0; i < count; i++) {
      vis.server.recvBufPost(in, 0);
      int length = vis.server.recvBufWait(LONG).length();
      byte[] bytes = VisUnderTest.content(in, length);
      out.buffer().bytes().copyFrom(bytes, 0, 0, length);
      vis.server.sendBufPost(out, 0, length);
      ViTicket _ = vis.server.sendBufWait(LONG);
    }
    return count;
  }

  @Test
  void manyMessagesOfAllLengthsStream() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    int most = 200_000;
    ViAttributes attributes = ViAttributes.DEFAULT.withTransferBytes(most).withDepths(16, 16);
    int count = 400;
    try (VisUnderTest vis = connect(attributes)) {
      Future<Integer> received =
          vis.beside(() -> {
            Random lengths = new Random(seed);
            ViBufferTicket[] in = new ViBufferTicket[8];
            for (int i = 0; i < in.length; i++) {
              in[i] = vis.buffer(vis.server, most);
              vis.server.recvBufPost(in[i], 0);
            }
            for (int i = 0; i < count; i++) {
              ViBufferTicket got = (ViBufferTicket) vis.server.recvBufWait(LONG);
              int length = length(lengths, most);
              assertThat(got.length()).isEqualTo(length);
              ViBytes bytes = got.buffer().bytes();
              for (int at = 0; at < length; at += 997) {
                assertThat(bytes.get(at)).isEqualTo((byte) (at * 31 + i + (at >> 8)));
              }
              vis.server.recvBufPost(got, 0);
            }
            return count;
          });
      Random lengths = new Random(seed);
      ViBufferTicket[] out = new ViBufferTicket[8];
      for (int i = 0; i < count; i++) {
        ViBufferTicket ticket = out[i % 8];
        if (ticket == null) {
          ticket = vis.buffer(vis.client, most);
          out[i % 8] = ticket;
        } else {
          assertThat(vis.client.sendBufWait(LONG)).isSameAs(ticket);
        }
        int length = length(lengths, most);
        byte[] bytes = VisUnderTest.pattern(length, i);
        ticket.buffer().bytes().copyFrom(bytes, 0, 0, length);
        vis.client.sendBufPost(ticket, 0, length);
      }
      for (int i = 0; i < 8; i++) {
        ViTicket _ = vis.client.sendBufWait(LONG);
      }
      assertThat(received.get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo(count);
    }
  }

  private static int length(Random random, int most) {
    return random.nextBoolean() ? random.nextInt(200) : random.nextInt(most + 1);
  }

  @Test
  void piecesAreGatheredAndScattered() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket a = vis.buffer(vis.client, 100);
      ViBufferTicket b = vis.buffer(vis.client, 5000);
      byte[] head = VisUnderTest.fill(a, 1);
      byte[] body = VisUnderTest.fill(b, 2);
      ViBufferTicket c = vis.buffer(vis.server, 1000);
      ViBufferTicket d = vis.buffer(vis.server, 5000);
      ViDescriptor room = new ViDescriptor().add(c, 10, 990).add(d, 0, 5000);
      vis.server.recvBufPost(room);
      vis.client.sendBufPost(new ViDescriptor().add(a, 0, 50).add(b, 0, 4000).add(a, 50, 50));
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(room);
      assertThat(room.length()).isEqualTo(4100);
      byte[] want = new byte[4100];
      System.arraycopy(head, 0, want, 0, 50);
      System.arraycopy(body, 0, want, 50, 4000);
      System.arraycopy(head, 50, want, 4050, 50);
      byte[] got = new byte[4100];
      c.buffer().bytes().copyTo(10, got, 0, 990);
      d.buffer().bytes().copyTo(0, got, 990, 3110);
      assertThat(got).isEqualTo(want);
      assertThat(vis.client.sendBufWait(LONG)).isInstanceOf(ViDescriptor.class);
    }
  }

  @Test
  void aPostedBufferIsTheDevices() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket in = vis.buffer(vis.server, 100);
      ViBytes view = in.buffer().bytes();
      vis.server.recvBufPost(in, 0);
      assertThat(in.isPosted()).isTrue();
      assertThatThrownBy(() -> vis.server.recvBufPost(in, 0))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> vis.server.recvBufPost(new ViDescriptor().add(in, 0, 10)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("device's");
      assertThatThrownBy(() -> view.get(0)).hasMessageContaining("device's");
      assertThatThrownBy(in.buffer()::close).hasMessageContaining("device's");
      assertThatThrownBy(() -> in.buffer().unregister(in)).hasMessageContaining("device's");
      ViBufferTicket out = vis.buffer(vis.client, 100);
      vis.client.sendBufPost(out, 0, 100);
      assertThat(vis.server.recvBufWait(LONG).length()).isEqualTo(100);
      assertThat(view.get(0)).isZero();
    }
  }

  @Test
  void onlyRegisteredBuffersArePosted() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT);
        ViBuffer buffer = new ViBuffer(100)) {
      ViBufferTicket elsewhere = vis.buffer(vis.server, 100);
      assertThatThrownBy(() -> vis.client.sendBufPost(elsewhere, 0, 10))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("not registered");
      ViBufferTicket first = buffer.register(vis.server, ViBufferAttributes.READ_ONLY);
      assertThatThrownBy(() -> vis.server.recvBufPost(first, 0))
          .hasMessageContaining("sending only");
      assertThatThrownBy(() -> buffer.register(vis.client, ViBufferAttributes.READ_WRITE))
          .isInstanceOf(IllegalStateException.class);
      buffer.unregister(first);
      ViBufferTicket moved = buffer.register(vis.client, ViBufferAttributes.READ_WRITE);
      assertThatThrownBy(() -> vis.server.sendBufPost(first, 0, 10))
          .hasMessageContaining("not registered");
      ViBufferTicket in = vis.buffer(vis.server, 100);
      vis.server.recvBufPost(in, 0);
      vis.client.sendBufPost(moved, 90, 10);
      assertThat(vis.server.recvBufWait(LONG).length()).isEqualTo(10);
      ViTicket _ = vis.client.sendBufWait(LONG);
      assertThatThrownBy(() -> vis.client.sendBufPost(moved, 91, 10))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void queuesHaveADepthAndMessagesALength() throws Exception {
    ViAttributes attributes = ViAttributes.DEFAULT.withDepths(4, 2).withTransferBytes(1000);
    try (VisUnderTest vis = connect(attributes)) {
      for (int i = 0; i < 2; i++) {
        vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      }
      ViBufferTicket third = vis.buffer(vis.server, 10);
      assertThatThrownBy(() -> vis.server.recvBufPost(third, 0))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("full")
          .hasMessageContaining("Fix");
      ViBufferTicket large = vis.buffer(vis.client, 2000);
      assertThatThrownBy(() -> vis.client.sendBufPost(large, 0, 1001))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("1001");
      assertThat(large.isPosted()).isFalse();
    }
  }

  @Test
  void waitsEndInTime() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      assertThatThrownBy(() -> vis.server.recvBufWait(0)).hasMessageContaining("nothing is posted");
      ViBufferTicket in = vis.buffer(vis.server, 10);
      vis.server.recvBufPost(in, 0);
      long begin = System.nanoTime();
      assertThatThrownBy(() -> vis.server.recvBufWait(20_000)).isInstanceOf(ViTimeout.class);
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000L);
      assertThatThrownBy(() -> vis.server.recvBufWait(0)).isInstanceOf(ViTimeout.class);
      assertThat(in.isPosted()).isTrue();
      vis.client.send(new byte[] {1, 2, 3}, 0, 3);
      assertThat(vis.server.recvBufWait(LONG).length()).isEqualTo(3);
    }
  }

  @Test
  void aTagWithoutAServerIsRefused() throws Exception {
    try (Nic nic = open()) {
      ViAddress place = VisUnderTest.place(nic);
      assertThatThrownBy(() -> new Vi(place, ViAttributes.DEFAULT, null, null, 1))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("no accept matches")
          .hasMessageContaining("Fix");
      try (ViServer server = new ViServer(place, 1)) {
        assertThatThrownBy(() -> new Vi(place, ViAttributes.DEFAULT, null, null, 2))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("tag 2");
        assertThatThrownBy(() -> new ViServer(place, 1)).isInstanceOf(ViException.class);
        assertThatThrownBy(() -> server.accept(ViAttributes.DEFAULT, 10_000))
            .isInstanceOf(ViTimeout.class);
        ViAttributes hasty = ViAttributes.DEFAULT.withConnectMicros(50_000);
        assertThatThrownBy(() -> new Vi(place, hasty, null, null, 1))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("in time");
      }
    }
  }

  @Test
  void bothEndsWantTheSameReliability() throws Exception {
    if (levels().size() < 2) {
      return;
    }
    try (Nic nic = open()) {
      ViAddress place = VisUnderTest.place(nic);
      ViAttributes one = ViAttributes.DEFAULT.withReliability(levels().get(0));
      ViAttributes other = ViAttributes.DEFAULT.withReliability(levels().get(1));
      try (ViServer server = new ViServer(place, 3)) {
        var refused = new ArrayList<Throwable>();
        Thread accepting =
            Thread.startVirtualThread(() -> {
              try {
                server.accept(one, LONG).close();
              } catch (ViException e) {
                refused.add(e);
              }
            });
        assertThatThrownBy(() -> new Vi(place, other, null, null, 3))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("reliability");
        Await.end(accepting);
        assertThat(refused).singleElement().isInstanceOf(ViException.class);
      }
    }
  }

  @Test
  void aMessageThatIsTooLongFailsTheVi() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket small = vis.buffer(vis.server, 10);
      ViBufferTicket next = vis.buffer(vis.server, 100);
      vis.server.recvBufPost(small, 0);
      vis.server.recvBufPost(next, 0);
      vis.client.send(new byte[100], 0, 100);
      assertThatThrownBy(() -> vis.server.recvBufWait(LONG))
          .isInstanceOf(ViException.class)
          .isNotInstanceOf(ViTimeout.class);
      assertThat(small.failure()).isNotNull();
      assertThat(next.isDone()).isTrue();
      assertThat(next.failure()).isNotNull();
      assertThat(vis.server.failure()).isNotNull();
      assertThatThrownBy(() -> vis.server.recvBufPost(next, 0)).isInstanceOf(ViException.class);
      assertThatThrownBy(() -> vis.server.sendBufPost(next, 0, 1)).isInstanceOf(ViException.class);
    }
  }

  @Test
  void whatWasSentBeforeTheEndArrives() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket first = vis.buffer(vis.server, 10);
      ViBufferTicket second = vis.buffer(vis.server, 10);
      vis.server.recvBufPost(first, 0);
      vis.server.recvBufPost(second, 0);
      vis.client.send(new byte[] {5}, 0, 1);
      vis.client.close();
      vis.client.close();
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(first);
      assertThatThrownBy(() -> vis.server.recvBufWait(LONG)).isInstanceOf(ViException.class);
      assertThat(second.failure()).isNotNull();
      assertThat(second.isPosted()).isFalse();
      assertThatThrownBy(() -> vis.client.send(new byte[1], 0, 1)).isInstanceOf(ViException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(WaitMode.class)
  void closingEndsAWait(WaitMode mode) throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withWaiting(mode))) {
      ViBufferTicket in = vis.buffer(vis.server, 10);
      vis.server.recvBufPost(in, 0);
      Future<Throwable> waiting =
          vis.beside(() -> {
            try {
              return new AssertionError("completed " + vis.server.recvBufWait(Vi.INFINITE));
            } catch (ViException | IllegalStateException e) {
              return e;
            }
          });
      Thread.sleep(5); // mostly it waits then; the outcome is the same if not
      vis.server.close();
      Throwable end = waiting.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(end).isNotInstanceOf(AssertionError.class);
      assertThat(in.isPosted()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(WaitMode.class)
  void anInterruptEndsAWait(WaitMode mode) throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withWaiting(mode))) {
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      Thread.currentThread().interrupt();
      try {
        assertThatThrownBy(() -> vis.server.recvBufWait(Vi.INFINITE))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("interrupted");
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      vis.client.send(new byte[1], 0, 1);
      assertThat(vis.server.recvBufWait(LONG).length()).isEqualTo(1);
    }
  }

  @Test
  void aSecondThreadAtAQueueIsRefused() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withWaiting(WaitMode.PARK))) {
      vis.server.recvBufPost(vis.buffer(vis.server, 10), 0);
      Future<ViTicket> waiting = vis.beside(() -> waitOnceAlone(vis.server));
      ViBufferTicket more = vis.buffer(vis.server, 10);
      Await.until(
          "the refusal",
          () -> {
            try {
              ViTicket _ = vis.server.recvBufWait(0);
              return false;
            } catch (ViTimeout notThereYet) {
              return false;
            } catch (IllegalStateException refused) {
              return String.valueOf(refused.getMessage()).contains("another thread");
            }
          });
      assertThatThrownBy(() -> vis.server.recvBufPost(more, 0))
          .isInstanceOf(IllegalStateException.class);
      assertThat(more.isPosted()).isFalse();
      vis.client.send(new byte[1], 0, 1);
      assertThat(waiting.get(Await.SECONDS, TimeUnit.SECONDS).length()).isEqualTo(1);
    }
  }

  /// Waits in the queue, also when the other thread was inside for a moment.
  private static ViTicket waitOnceAlone(Vi vi) throws Exception {
    Await await = new Await();
    while (true) {
      try {
        return vi.recvBufWait(LONG);
      } catch (IllegalStateException refused) {
        await.check("the queue without another thread");
      }
    }
  }

  @Test
  void levelOneCopiesArrays() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      byte[] sent = VisUnderTest.pattern(5000, 3);
      ViBATicket one = new ViBATicket(new byte[6000], 100);
      ViBATicket two = new ViBATicket(new byte[10], 0);
      vis.server.recvPost(one);
      vis.server.recvPost(two);
      // Beside: a device may need the receiver's polls to send a longer message.
      Future<Boolean> both =
          vis.beside(() -> {
            vis.client.send(sent, 0, 5000);
            vis.client.send(sent, 10, 10);
            return true;
          });
      assertThat(vis.server.recvWait(LONG)).isSameAs(one);
      assertThat(one.length()).isEqualTo(5000);
      assertThat(java.util.Arrays.copyOfRange(one.byteArray(), 100, 5100)).isEqualTo(sent);
      assertThat(vis.server.recvWait(LONG)).isSameAs(two);
      assertThat(two.byteArray()).isEqualTo(java.util.Arrays.copyOfRange(sent, 10, 20));
      assertThat(both.get(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
      vis.client.send(sent, 0, 64);
      vis.client.send(sent, 0, 0);
      assertThat(vis.server.recv(LONG)).isEqualTo(java.util.Arrays.copyOf(sent, 64));
      assertThat(vis.server.recv(LONG)).isEmpty();
      assertThatThrownBy(() -> vis.server.recvPost(one)).hasMessageContaining("recv");
      assertThatThrownBy(() -> vis.server.recv(1000)).isInstanceOf(ViTimeout.class);
    }
  }

  /// What was given up is still under way, with the bytes that the array had then.
  @Test
  void anArrayIsTheCallersAgainWhenASendGivesUp() throws Exception {
    ViAttributes attributes =
        ViAttributes.DEFAULT.withTransferBytes(4 << 20).withRingBytes(1 << 14);
    try (VisUnderTest vis = connect(attributes)) {
      byte[] sent = VisUnderTest.pattern(4 << 20, 1);
      byte[] want = sent.clone();
      boolean gaveUp = false;
      try {
        vis.client.send(sent, 0, sent.length, 10_000);
      } catch (ViTimeout e) {
        gaveUp = true; // the other side has posted nothing
      }
      java.util.Arrays.fill(sent, (byte) 0);
      ViBATicket room = new ViBATicket(new byte[sent.length], 0);
      vis.server.recvPost(room);
      Future<Boolean> next =
          vis.beside(() -> {
            vis.client.send(sent, 0, 1, LONG);
            return true;
          });
      assertThat(vis.server.recvWait(LONG)).isSameAs(room);
      assertThat(room.byteArray()).as("gave up: " + gaveUp).isEqualTo(want);
      ViBATicket last = new ViBATicket(new byte[1], 0);
      vis.server.recvPost(last);
      assertThat(vis.server.recvWait(LONG)).isSameAs(last);
      assertThat(next.get(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aCompletionQueueServesManyVis() throws Exception {
    ViAttributes attributes = ViAttributes.DEFAULT.withWaiting(WaitMode.PARK);
    ViCompletionQ done = new ViCompletionQ(attributes);
    List<VisUnderTest> all = new ArrayList<>();
    try {
      for (int i = 0; i < 10; i++) {
        VisUnderTest vis = VisUnderTest.connect(open(), attributes, null, done);
        all.add(vis);
        vis.server.recvBufPost(vis.buffer(vis.server, 100), 0);
        assertThatThrownBy(() -> vis.server.recvBufWait(0))
            .hasMessageContaining("completion queue");
      }
      for (int round = 0; round < 3; round++) {
        for (VisUnderTest vis : all) {
          Future<Boolean> sent =
              vis.beside(() -> {
                vis.client.send(new byte[] {1, 2}, 0, 2);
                return true;
              });
          ViTicket ticket = done.await(LONG);
          assertThat(Vi.of(ticket)).isSameAs(vis.server);
          assertThat(ticket.isSend()).isFalse();
          assertThat(ticket.length()).isEqualTo(2);
          assertThat(sent.get(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
          vis.server.recvBufPost((ViBufferTicket) ticket, 0);
        }
      }
      assertThat(done.poll()).isNull();
      all.get(3).client.close();
      ViTicket failed = done.await(LONG);
      assertThat(Vi.of(failed)).isSameAs(all.get(3).server);
      assertThat(failed.failure()).isNotNull();
      assertThatThrownBy(() -> done.await(1000)).isInstanceOf(ViTimeout.class);
    } finally {
      for (VisUnderTest vis : all) {
        vis.close();
      }
    }
  }

  @Test
  void everyLevelKeepsAMessageThatIsExpected() throws Exception {
    for (Reliability level : levels()) {
      try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withReliability(level))) {
        ViBufferTicket in = vis.buffer(vis.server, 100);
        ViBufferTicket out = vis.buffer(vis.client, 100);
        vis.server.recvBufPost(in, 0);
        vis.client.sendBufPost(out, 0, 60);
        assertThat(vis.server.recvBufWait(LONG).length()).as(level.name()).isEqualTo(60);
        assertThat(vis.client.sendBufWait(LONG).failure()).isNull();
      }
    }
  }

  @Test
  void reliableMessagesWaitForAReceive() throws Exception {
    for (Reliability level : levels()) {
      if (level == Reliability.UNRELIABLE) {
        continue;
      }
      try (VisUnderTest vis = connect(ViAttributes.DEFAULT.withReliability(level))) {
        ViBufferTicket out = vis.buffer(vis.client, 100);
        vis.client.sendBufPost(out, 0, 60);
        if (level == Reliability.RELIABLE_RECEPTION) {
          assertThatThrownBy(() -> vis.client.sendBufWait(20_000)).isInstanceOf(ViTimeout.class);
        } else {
          assertThat(vis.client.sendBufWait(LONG)).isSameAs(out);
        }
        ViBufferTicket in = vis.buffer(vis.server, 100);
        vis.server.recvBufPost(in, 0);
        Future<ViTicket> received = vis.beside(() -> vis.server.recvBufWait(LONG));
        if (level == Reliability.RELIABLE_RECEPTION) {
          assertThat(vis.client.sendBufWait(LONG)).isSameAs(out);
        }
        assertThat(received.get(Await.SECONDS, TimeUnit.SECONDS).length()).isEqualTo(60);
      }
    }
  }

  @Test
  void anUnreliableMessageWithoutAReceiveIsLost() throws Exception {
    if (!levels().contains(Reliability.UNRELIABLE)) {
      return; // OfiViContract: refused when a VI is made
    }
    ViAttributes attributes = ViAttributes.DEFAULT.withReliability(Reliability.UNRELIABLE);
    try (VisUnderTest vis = connect(attributes)) {
      ViBufferTicket in = vis.buffer(vis.server, 10);
      vis.server.recvBufPost(in, 0);
      for (byte i = 1; i <= 3; i++) {
        vis.client.send(new byte[] {i}, 0, 1);
      }
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(in);
      assertThat(in.buffer().bytes().get(0)).isEqualTo((byte) 1);
      vis.client.close();
      Await.until("the client's end, which comes after its messages", () -> hasLost(vis.server));
      assertThatThrownBy(
              () -> {
                vis.server.recvBufPost(in, 0);
                ViTicket _ = vis.server.recvBufWait(LONG);
              })
          .isInstanceOf(ViException.class)
          .isNotInstanceOf(ViTimeout.class);
    }
  }

  private static boolean hasLost(Vi vi) {
    try {
      vi.send(new byte[1], 0, 1);
      return false;
    } catch (ViException e) {
      return true;
    }
  }
}
