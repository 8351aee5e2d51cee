package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.FileBody;
import sluice.memory.View;
import sluice.sys.Errno;

/// Peers that do not read make other peers wait for memory, and end no connection.
final class OutputRoomTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int BUDGET = 64 << 10;
  private static final int REPLY_BYTES = 6_000;
  private static final LoopConfig CONFIG =
      new LoopConfig(2_000, 64 << 10, 64L << 20, 64 << 10, 30 * SECOND, 2 * SECOND)
          .withOutputBytes(BUDGET);

  /// Answers each byte by as many of its value.
  private static final Protocol TALKATIVE =
      new Protocol() {
        @Override
        public int received(Connection connection, View input) {
          int used = 0;
          while (used < input.length() && !connection.outputFull()) {
            connection.output().put(reply(input.get(used++)));
          }
          return used;
        }
      };

  private static byte[] reply(byte value) {
    byte[] bytes = new byte[REPLY_BYTES];
    Arrays.fill(bytes, value);
    return bytes;
  }

  /// A file without descriptor, whose pages are not in memory.
  private static final class ColdFile implements FileBody {
    final byte[] content;
    int references = 1;

    ColdFile(byte[] content) {
      this.content = content;
    }

    @Override
    public int fd() {
      return -1;
    }

    @Override
    public int read(long position, MemorySegment target, long offset, int length) {
      int count = (int) Math.min(length, content.length - position);
      MemorySegment.copy(content, (int) position, target, ValueLayout.JAVA_BYTE, offset, count);
      return count;
    }

    @Override
    public boolean resident(long position, long length) {
      return false;
    }

    @Override
    public boolean unchanged() {
      return true;
    }

    @Override
    public void release() {
      references--;
    }
  }

  private static List<Connection> open(LoopRig rig, int count) {
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(rig.open());
    }
    return all;
  }

  private static void arrive(LoopRig rig, Connection connection, int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    rig.engine.arrive(connection.socket, bytes);
    rig.turns(1);
  }

  private static void assertNothingWasCut(LoopRig rig) {
    LoopCounters counters = rig.loop.counters();
    assertThat(counters.overBudgetConnections).isZero();
    assertThat(counters.cutReplies).isZero();
  }

  @Test
  void repliesWaitAndAllOfThemArrive() throws IOException {
    try (LoopRig rig = new LoopRig(TALKATIVE, CONFIG)) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      List<Connection> all = open(rig, 200);
      for (Connection each : all) {
        arrive(rig, each, 1, 2, 3);
        assertThat(rig.loop.heldBytes()).isLessThanOrEqualTo(BUDGET + 200 * 512);
      }
      rig.turns(3);
      assertThat(rig.loop.counters().outputWaits).isGreaterThan(100);
      assertThat(rig.loop.turn(0)).as("nothing to do but to wait").isZero();
      assertThat(all).allMatch(Connection::isOpen);
      Random random = new Random(5);
      rig.engine.taking(length -> random.nextInt(3) == 0 ? random.nextInt(length + 1) : length);
      rig.turns(4_000);
      for (Connection each : all) {
        byte[] wire = rig.wire(each);
        assertThat(wire).hasSize(3 * REPLY_BYTES);
        for (int i = 0; i < 3; i++) {
          byte[] one = Arrays.copyOfRange(wire, i * REPLY_BYTES, (i + 1) * REPLY_BYTES);
          assertThat(one).isEqualTo(reply((byte) (i + 1)));
        }
      }
      assertNothingWasCut(rig);
    }
  }

  /// A peer that reads is served beside any number that do not.
  @Test
  void aReaderIsServedBesideThoseThatDoNotRead() throws IOException {
    try (LoopRig rig = new LoopRig(TALKATIVE, CONFIG.withOutputBytes(1 << 20))) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      for (Connection each : open(rig, 40)) {
        arrive(rig, each, new int[100]);
      }
      Connection reader = rig.open();
      rig.engine.taking(reader.socket, length -> length);
      for (int i = 1; i <= 50; i++) {
        arrive(rig, reader, 7);
        rig.turns(2);
        assertThat(rig.wire(reader)).hasSize(i * REPLY_BYTES);
      }
      assertNothingWasCut(rig);
    }
  }

  @Test
  void downloadsThatWaitHoldNothing() throws IOException {
    byte[] content = new byte[700_000];
    new Random(3).nextBytes(content);
    List<ColdFile> files = new ArrayList<>();
    Protocol sending =
        (connection, input) -> {
          ColdFile file = new ColdFile(content);
          files.add(file);
          connection.output().file(file, 0, content.length);
          return input.length();
        };
    try (LoopRig rig = new LoopRig(sending, CONFIG)) {
      List<Connection> all = open(rig, 300);
      rig.engine.taking(length -> -Errno.EAGAIN);
      rig.engine.writable(false);
      for (Connection each : all) {
        arrive(rig, each, 1);
        assertThat(rig.loop.heldBytes()).isLessThanOrEqualTo(BUDGET);
      }
      rig.turns(2_000);
      assertThat(rig.loop.heldBytes()).isZero();
      rig.engine.writable(true);
      Random random = new Random(4);
      rig.engine.taking(length -> random.nextInt(4) == 0 ? random.nextInt(length + 1) : length);
      for (int i = 0; i < 400_000 && !all.stream().allMatch(c -> c.output().isEmpty()); i++) {
        rig.turns(1);
        assertThat(rig.loop.heldBytes()).isLessThanOrEqualTo(BUDGET);
      }
      for (Connection each : all) {
        assertThat(Arrays.equals(rig.wire(each), content)).isTrue();
      }
      assertThat(files).hasSize(300).allMatch(file -> file.references == 0);
      assertNothingWasCut(rig);
    }
  }

  @Test
  void slowAnswersWaitInTheirOrder() throws IOException {
    Protocol deferring =
        (connection, input) -> {
          byte value = input.get(0);
          ReplyTicket ticket = connection.defer();
          connection
              .slowPath()
              .execute(() -> {
                ticket.append(c -> c.output().put(reply(value)));
                ticket.append(c -> c.output().put(reply((byte) (value + 1))));
                ticket.complete(c -> c.output().put(reply((byte) (value + 2))));
              });
          return input.length();
        };
    try (LoopRig rig = new LoopRig(deferring, CONFIG)) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      List<Connection> all = open(rig, 100);
      for (Connection each : all) {
        arrive(rig, each, 1);
        assertThat(rig.loop.heldBytes()).isLessThanOrEqualTo(BUDGET);
      }
      Connection gone = all.removeLast();
      gone.abort();
      rig.turns(3);
      assertThat(rig.loop.counters().outputWaits).isGreaterThan(50);
      assertThat(all).allMatch(Connection::isOpen);
      rig.engine.taking(length -> length);
      rig.turns(1_000);
      for (Connection each : all) {
        byte[] wire = rig.wire(each);
        assertThat(wire).hasSize(3 * REPLY_BYTES);
        assertThat(new byte[] {wire[0], wire[REPLY_BYTES], wire[2 * REPLY_BYTES]})
            .containsExactly(1, 2, 3);
      }
      assertThat(rig.loop.counters().cutReplies).as("the one that has gone").isEqualTo(1);
      assertThat(rig.loop.counters().overBudgetConnections).isZero();
    }
  }

  // ---- clients without progress -------------------------------------------------------------

  private static void turnAfter(LoopRig rig, long nanos) {
    rig.engine.meanwhile(() -> rig.nanos += nanos);
    rig.loop.turn(-1);
  }

  @Test
  void aPeerThatTakesLittleIsNotEnded() throws IOException {
    try (LoopRig rig = new LoopRig(TALKATIVE, CONFIG)) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      Connection slow = rig.open();
      arrive(rig, slow, 1);
      rig.turns(2);
      for (int i = 0; i < 100; i++) {
        rig.engine.peerTaken(i); // a byte each 20 s, and the socket has no room yet
        turnAfter(rig, 20 * SECOND);
        assertThat(slow.isOpen()).isTrue();
      }
      for (int i = 0; i < 3; i++) {
        turnAfter(rig, 9 * SECOND);
      }
      assertThat(slow.isOpen()).as("27 s after its last byte").isTrue();
      turnAfter(rig, 12 * SECOND);
      assertThat(slow.finished()).as("39 s after it").isTrue();
      rig.turns(2);
      assertThat(rig.loop.counters().writeTimeouts).isEqualTo(1);
      assertThat(rig.loop.counters().cutReplies).isEqualTo(1);
    }
  }

  @Test
  void whereProgressIsNotKnownTheTimeIsExact() throws IOException {
    try (LoopRig rig = new LoopRig(TALKATIVE, CONFIG)) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      Connection stuck = rig.open();
      arrive(rig, stuck, 1);
      rig.turns(2);
      turnAfter(rig, 29 * SECOND);
      assertThat(stuck.isOpen()).isTrue();
      turnAfter(rig, 2 * SECOND);
      assertThat(stuck.finished()).isTrue();
    }
  }

  /// It is not the peer that lets it wait.
  @Test
  void waitingForMemoryIsNotHeldAgainstThePeer() throws IOException {
    byte[] content = new byte[100_000];
    Protocol sending =
        (connection, input) -> {
          if (input.get(0) == 1) {
            return TALKATIVE.received(connection, input);
          }
          connection.output().file(new ColdFile(content), 0, content.length);
          return input.length();
        };
    try (LoopRig rig = new LoopRig(sending, CONFIG.withOutputBytes(8 << 10))) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      Connection holding = rig.open();
      arrive(rig, holding, 1);
      rig.turns(2);
      Connection waiting = rig.open();
      arrive(rig, waiting, 2);
      rig.turns(2);
      assertThat(waiting.sendState).isEqualTo(Connection.Send.ROOM);
      turnAfter(rig, 25 * SECOND);
      turnAfter(rig, 10 * SECOND);
      assertThat(holding.finished()).isTrue();
      assertThat(waiting.isOpen()).isTrue();
      rig.engine.taking(length -> length);
      rig.turns(200);
      assertThat(rig.wire(waiting)).hasSize(content.length);
    }
  }
}
