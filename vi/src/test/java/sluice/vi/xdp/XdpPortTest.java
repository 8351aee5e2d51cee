package sluice.vi.xdp;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.vi.xdp.SimLines.content;
import static sluice.vi.xdp.SimLines.message;
import static sluice.vi.xdp.SimLines.postReceive;
import static sluice.vi.xdp.SimLines.postSend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// The protocol over a simulated wire, in simulated time.
@Timeout(240)
final class XdpPortTest {
  private static final PortSpec DELIVERY = SimLines.spec(false, false);
  private static final PortSpec RECEPTION = SimLines.spec(false, true);
  private static final PortSpec UNRELIABLE = SimLines.spec(true, false);

  private static long seed() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    return seed;
  }

  /// Sends messages one way and receives them.
  private static final class Transfer {
    private final Port from;
    private final Port to;
    private final int count;
    private final Random random;
    private final int[] lengths;
    private int posted;
    private int done;
    private int rooms;
    int received;

    Transfer(Port from, Port to, int count, long seed) {
      this.from = from;
      this.to = to;
      this.count = count;
      random = new Random(seed);
      lengths = new int[count];
      for (int i = 0; i < count; i++) {
        lengths[i] = random.nextBoolean() ? random.nextInt(300) : random.nextInt(10_001);
      }
    }

    boolean step() {
      if (posted < count && posted - done < 8 && random.nextInt(4) == 0) {
        Descriptor _ = postSend(from, message(posted, lengths[posted]));
        posted++;
      }
      if (rooms < count && rooms - received < 8 && random.nextInt(8) == 0) {
        Descriptor _ = postReceive(to, 10_000);
        rooms++;
      }
      Descriptor sent = from.pollSend();
      if (sent != null) {
        assertThat(sent.failure()).isNull();
        assertThat(sent.transferredBytes()).isEqualTo(lengths[done]);
        done++;
      }
      Descriptor got = to.pollReceive();
      if (got != null) {
        assertThat(got.failure()).isNull();
        assertThat(content(got)).isEqualTo(message(received, lengths[received]));
        received++;
      }
      return done == count && received == count;
    }
  }

  @ParameterizedTest
  @CsvSource({"0,false", "0,true", "20,false", "20,true", "150,false", "150,true"})
  void messagesArriveOnceInOrderBothWays(int faults, boolean acknowledged) {
    long seed = seed();
    SimLines lines = new SimLines(seed, faults, acknowledged ? RECEPTION : DELIVERY);
    Transfer there = new Transfer(lines.left, lines.right, 120, seed);
    Transfer back = new Transfer(lines.right, lines.left, 120, seed + 1);
    lines.until(
        "all messages",
        () -> {
          boolean done = there.step();
          return back.step() && done;
        });
    lines.left.end(Failure.CLOSED);
    lines.until("the end", () -> lines.right.failure() != null && lines.left.isGone());
    lines.right.end(Failure.CLOSED);
    lines.until("the end of both", lines::bothGone);
  }

  /// Fragments that come one by one, as fast as the receiver takes them: each quarter of the window
  /// is answered, and the last one.
  @Test
  void aBurstHasFewAnswers() {
    SimLines lines = new SimLines(seed(), 0, DELIVERY);
    Descriptor _ = postReceive(lines.right, 10_000);
    List<byte[]> burst = new ArrayList<>();
    lines.tap =
        bytes -> {
          burst.add(bytes);
          return new byte[0];
        };
    byte[] message = message(1, 7 * 256 - 10);
    Descriptor _ = postSend(lines.left, message);
    lines.run(2);
    assertThat(burst).hasSize(7);
    lines.tap = bytes -> bytes;
    long before = lines.sent;
    for (byte[] fragment : burst) {
      SimLines.arrive(lines.right, fragment);
      lines.step();
    }
    assertThat(lines.sent - before).as("of seven, two at a time, and the last").isEqualTo(4);
    assertThat(content(lines.next("the message", lines.right::pollReceive))).isEqualTo(message);
    assertThat(lines.next("the send", lines.left::pollSend).failure()).isNull();
  }

  /// An answer for a single message does not wait, and neither does one for what is out of order.
  @Test
  void whatMayBeTheLastIsAnsweredAtOnce() {
    SimLines lines = new SimLines(seed(), 0, DELIVERY);
    List<byte[]> burst = new ArrayList<>();
    lines.tap =
        bytes -> {
          burst.add(bytes);
          return new byte[0];
        };
    Descriptor _ = postSend(lines.left, message(1, 600));
    lines.run(2);
    assertThat(burst).hasSize(3);
    lines.tap = bytes -> bytes;
    long before = lines.sent;
    SimLines.arrive(lines.right, burst.get(1)); // the first is missing
    lines.step();
    assertThat(lines.sent - before).isEqualTo(1);
    lines.run(3); // all three again, and an answer
    assertThat(lines.next("the send", lines.left::pollSend).failure()).isNull();
  }

  @Test
  void withoutAReceiveMessagesWaitInTheStashAndThenWithTheSender() {
    SimLines lines = new SimLines(seed(), 50, DELIVERY);
    for (int i = 0; i < 8; i++) {
      Descriptor _ = postSend(lines.left, message(i, 500)); // two fragments each, eight slots
    }
    for (int i = 0; i < 4; i++) {
      assertThat(lines.next("what fits", lines.left::pollSend).failure()).isNull();
    }
    lines.run(100_000); // five seconds, in which nothing is given up
    assertThat(lines.left.pollSend()).isNull();
    for (int i = 0; i < 8; i++) {
      Descriptor _ = postReceive(lines.right, 500);
      Descriptor got = lines.next("message " + i, lines.right::pollReceive);
      assertThat(content(got)).isEqualTo(message(i, 500));
    }
    for (int i = 0; i < 4; i++) {
      assertThat(lines.next("the other sends", lines.left::pollSend).failure()).isNull();
    }
  }

  @Test
  void receptionIsToldWhenTheMessageIsInItsBuffer() {
    SimLines lines = new SimLines(seed(), 50, RECEPTION);
    Descriptor _ = postSend(lines.left, message(1, 700));
    lines.run(100_000);
    assertThat(lines.left.pollSend()).isNull();
    Descriptor _ = postReceive(lines.right, 700);
    assertThat(lines.next("the send", lines.left::pollSend).failure()).isNull();
    assertThat(lines.right.pollReceive()).isNotNull();
  }

  @Test
  void whatIsInTheStashOutlivesItsSender() {
    SimLines lines = new SimLines(seed(), 50, DELIVERY);
    Descriptor _ = postSend(lines.left, message(1, 700));
    assertThat(lines.next("the send", lines.left::pollSend).failure()).isNull();
    lines.left.end(Failure.CLOSED);
    lines.until("the end", lines.left::isGone);
    Descriptor _ = postReceive(lines.right, 700);
    Descriptor _ = postReceive(lines.right, 700);
    Descriptor got = lines.next("the message", lines.right::pollReceive);
    assertThat(content(got)).isEqualTo(message(1, 700));
    Descriptor failed = lines.next("the end", lines.right::pollReceive);
    assertThat(failed.failure()).asString().contains("closed the connection");
    assertThat(lines.right.isGone()).isTrue();
  }

  /// Whatever the wire does, what comes is whole and in order.
  @ParameterizedTest
  @ValueSource(ints = {0, 20, 150})
  void unreliableMessagesAreWholeOrLost(int faults) {
    long seed = seed();
    SimLines lines = new SimLines(seed, faults, UNRELIABLE);
    Random random = new Random(seed);
    int last = -1;
    int got = 0;
    for (int i = 0; i < 400; i++) {
      if (i == 200) {
        lines.run(100_000); // five seconds, in which both sides ask whether the other is there
      }
      Descriptor _ = postSend(lines.left, message(i, i * 5));
      if (lines.right.receivesPosted() < 8 && random.nextInt(10) != 0) {
        Descriptor _ = postReceive(lines.right, 10_000);
      }
      lines.run(20);
      assertThat(lines.left.pollSend()).isNotNull();
      Descriptor done = lines.right.pollReceive();
      while (done != null) {
        int number = done.transferredBytes() / 5;
        assertThat(number).isGreaterThan(last);
        assertThat(content(done)).isEqualTo(message(number, number * 5));
        last = number;
        got++;
        done = lines.right.pollReceive();
      }
    }
    assertThat(got).isGreaterThan(faults == 0 ? 300 : 10);
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false"})
  void aDeadPeerFailsWhatIsPosted(boolean discards, boolean acknowledged) {
    SimLines lines = new SimLines(seed(), 0, SimLines.spec(discards, acknowledged));
    Descriptor _ = postReceive(lines.left, 100);
    lines.run(100_000); // five idle seconds
    assertThat(lines.left.failure()).isNull();
    lines.cut = true;
    Descriptor _ = postSend(lines.left, message(1, 1000));
    lines.until("the failure", () -> lines.left.failure() != null && lines.right.failure() != null);
    Descriptor sent = lines.next("the send", lines.left::pollSend);
    assertThat(sent.failure() == null).isEqualTo(discards);
    Descriptor room = lines.next("the receive", lines.left::pollReceive);
    assertThat(room.failure()).asString().contains("has not answered");
    assertThat(lines.bothGone()).isTrue();
  }

  /// One keeps alive what stands idle, with few datagrams.
  @Test
  void anIdleConnectionStands() {
    SimLines lines = new SimLines(seed(), 100, DELIVERY);
    lines.run(1_200_000); // a minute
    assertThat(lines.left.failure()).isNull();
    assertThat(lines.right.failure()).isNull();
    assertThat(lines.sent).isBetween(60L, 600L);
  }

  @Test
  void aMessageThatIsTooLongFailsBothEnds() {
    SimLines lines = new SimLines(seed(), 50, DELIVERY);
    Descriptor _ = postReceive(lines.right, 10);
    Descriptor _ = postSend(lines.left, message(1, 100));
    lines.until("the failures", () -> lines.left.failure() != null && lines.right.isGone());
    Descriptor room = lines.next("the receive", lines.right::pollReceive);
    assertThat(room.failure())
        .asString()
        .contains("100 bytes is longer than the receive it met, of 10 bytes");
    assertThat(lines.left.failure()).asString().contains("failed");
  }

  /// Words that contradict each other fail the VI or are ignored; no message comes of them, and no
  /// byte beside a buffer is written.
  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false"})
  void noDatagramDoesHarm(boolean discards, boolean acknowledged) {
    long seed = seed();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      SimLines lines = new SimLines(seed + round, 20, SimLines.spec(discards, acknowledged));
      int harm = 1 + random.nextInt(40);
      lines.tap =
          bytes -> {
            if (random.nextInt(100) < harm) {
              int changes = 1 + random.nextInt(3);
              for (int i = 0; i < changes; i++) {
                bytes[random.nextInt(Math.min(bytes.length, Datagram.HEAD_BYTES))] =
                    (byte) random.nextInt();
              }
              return random.nextInt(5) == 0
                  ? Arrays.copyOf(bytes, random.nextInt(bytes.length))
                  : bytes;
            }
            return bytes;
          };
      for (int i = 0; i < 40; i++) {
        if (lines.left.sendsPosted() < 8) {
          Descriptor _ = postSend(lines.left, message(1, random.nextInt(2000)));
        }
        if (lines.right.receivesPosted() < 8) {
          Descriptor _ = postReceive(lines.right, 2000);
        }
        lines.run(10);
        Descriptor _ = lines.left.pollSend();
        Descriptor got = lines.right.pollReceive();
        if (got != null) {
          byte[] _ = content(got);
        }
      }
      lines.left.end(Failure.CLOSED);
      lines.right.end(Failure.CLOSED);
      lines.until("the end", lines::bothGone);
    }
  }

  @Test
  void noiseIsNoDatagram() {
    long seed = seed();
    Random random = new Random(seed);
    SimLines lines = new SimLines(seed, 0, DELIVERY);
    Transfer there = new Transfer(lines.left, lines.right, 30, seed);
    lines.until(
        "all messages",
        () -> {
          byte[] noise = new byte[random.nextInt(Datagram.MOST_BYTES)];
          random.nextBytes(noise);
          SimLines.arrive(lines.right, noise);
          SimLines.arrive(lines.left, noise);
          return there.step();
        });
  }
}
