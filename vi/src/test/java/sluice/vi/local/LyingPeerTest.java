package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;
import sluice.vi.device.Descriptor;
import sluice.vi.device.PortSpec;

/// A peer that plays by the rules for a while and then writes one number that cannot be: the VI
/// fails at the next look, and no byte beside the posted buffer is touched.
@Timeout(240)
final class LyingPeerTest {
  private static final int RING = 1 << 14;
  private static final int FRAGMENT = RING / 8;
  private static final int LONGEST = 65_536;
  private static final int ROOM = 8192;
  private static final int MARGIN = 4096;
  private static final byte GUARD = 0x5a;
  private static final PortSpec SPEC = new PortSpec(3, false, true, 16, 16, LONGEST, RING);

  /// What the peer claims.
  enum Lie {
    NEGATIVE_LENGTH,
    LENGTH_BEYOND_A_FRAGMENT,
    LENGTH_BEYOND_THE_MESSAGE,
    LENGTH_NONE,
    MESSAGE_NEGATIVE,
    MESSAGE_TOO_LONG,
    MESSAGE_BEYOND_THE_RECEIVE,
    MESSAGE_CHANGES_ITS_LENGTH,
    SEQUENCE_AHEAD,
    SEQUENCE_NEGATIVE,
    SEQUENCE_OF_ANOTHER_LAP,
    CONSUMED_MORE_THAN_SENT,
    CONSUMED_NEGATIVE
  }

  private HostileRig rig;

  @BeforeEach
  void listen() throws IOException {
    rig = new HostileRig("lying", SPEC);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /// The sending side of a peer, by hand.
  private static final class Sender {
    private final MemorySegment out;
    private final DataCursor cursor = new DataCursor(RING);
    private long number;

    Sender(MemorySegment shared) {
      out = RingLayout.direction(shared, 0, RING);
    }

    /// Writes a fragment; the numbers need not be true.
    void write(int length, int total, long sequence) {
      number++;
      long slot = RingLayout.slot(number);
      if (length > RingLayout.INLINE_BYTES && length <= FRAGMENT) {
        int _ = cursor.take(length);
      }
      out.set(JAVA_INT, slot + RingLayout.FRAGMENT, length);
      out.set(JAVA_INT, slot + RingLayout.MESSAGE, total);
      RingLayout.LONG.setRelease(out, slot + RingLayout.SEQUENCE, sequence);
    }

    void write(int length, int total) {
      write(length, total, number + 1);
    }
  }

  private static void lie(Lie lie, Sender sender, MemorySegment shared, long value) {
    int some = (int) (value & 0x3ff) + 1;
    MemorySegment back = RingLayout.direction(shared, 1, RING);
    switch (lie) {
      case NEGATIVE_LENGTH -> sender.write(-some, 64);
      case LENGTH_BEYOND_A_FRAGMENT -> sender.write(FRAGMENT + some, ROOM);
      case LENGTH_BEYOND_THE_MESSAGE -> sender.write(some + 1, some);
      case LENGTH_NONE -> sender.write(0, some);
      case MESSAGE_NEGATIVE -> sender.write(some, -some);
      case MESSAGE_TOO_LONG -> sender.write(some, LONGEST + some);
      case MESSAGE_BEYOND_THE_RECEIVE -> sender.write(some, ROOM + some);
      case MESSAGE_CHANGES_ITS_LENGTH -> {
        sender.write(1, 2 + some);
        sender.write(1, 3 + some);
      }
      case SEQUENCE_AHEAD -> sender.write(1, 1, sender.number + 1 + some);
      case SEQUENCE_NEGATIVE -> sender.write(1, 1, -some);
      case SEQUENCE_OF_ANOTHER_LAP -> sender.write(1, 1, sender.number + 1 + 256L * some);
      case CONSUMED_MORE_THAN_SENT -> back.set(JAVA_LONG, RingLayout.CONSUMED, 100L + some);
      case CONSUMED_NEGATIVE -> back.set(JAVA_LONG, RingLayout.CONSUMED, -some);
    }
  }

  @ParameterizedTest
  @EnumSource(Lie.class)
  void oneLieFailsTheVi(Lie lie) throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      try (Arena arena = Arena.ofShared();
          HostileRig.Peer peer = rig.connect()) {
        MemorySegment around = arena.allocate(ROOM + 2 * MARGIN, 64).fill(GUARD);
        Sender sender = new Sender(peer.shared());
        Descriptor send = new Descriptor("send", 1);
        send.add(around, MARGIN, 1, 0);
        peer.port().postSend(send);
        int before = random.nextInt(300);
        for (int i = 0; i < before; i++) {
          int total = 1 + random.nextInt(FRAGMENT);
          post(peer, around);
          sender.write(total, total);
          Descriptor got = peer.port().pollReceive();
          assertThat(got == null ? -1 : got.transferredBytes())
              .as("seed %d, message %d", seed, i)
              .isEqualTo(total);
        }
        assertThat(peer.port().failure()).isNull();
        post(peer, around);
        lie(lie, sender, peer.shared(), random.nextInt());
        Descriptor _ = peer.port().pollReceive();
        Descriptor _ = peer.port().pollSend();
        assertThat(peer.port().failure()).as("seed %d, round %d", seed, round).isNotNull();
        for (int i = 0; i < MARGIN; i++) {
          assertThat(around.get(JAVA_BYTE, i)).isEqualTo(GUARD);
          assertThat(around.get(JAVA_BYTE, MARGIN + ROOM + i)).isEqualTo(GUARD);
        }
      }
    }
  }

  private static void post(HostileRig.Peer peer, MemorySegment around) {
    Descriptor receive = new Descriptor("receive", 1);
    receive.add(around, MARGIN, ROOM, 0);
    peer.port().postReceive(receive);
  }

  /// One byte at a time, without end: a look takes no more than a ring has, so that a thread that
  /// waits for a time comes back to its clock.
  @Test
  void aLookEndsHoweverFastThePeerWrites() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    try (Arena arena = Arena.ofShared();
        HostileRig.Peer peer = rig.connect()) {
      MemorySegment around = arena.allocate(LONGEST, 64);
      Descriptor receive = new Descriptor("receive", 1);
      receive.add(around, 0, LONGEST, 0);
      peer.port().postReceive(receive);
      MemorySegment in = RingLayout.direction(peer.shared(), 0, RING);
      Sender sender = new Sender(peer.shared());
      Thread writer =
          Thread.ofPlatform()
              .start(() -> {
                while (!ended.get() && sender.number < LONGEST) {
                  long taken = (long) RingLayout.LONG.getAcquire(in, (long) RingLayout.CONSUMED);
                  if (sender.number - taken < RingLayout.SLOTS) {
                    sender.write(1, LONGEST);
                  }
                }
              });
      long most = 0;
      long before = 0;
      while (peer.port().failure() == null && !receive.isDone()) {
        Descriptor _ = peer.port().pollReceive();
        long now = (long) RingLayout.LONG.getAcquire(in, (long) RingLayout.CONSUMED);
        most = Math.max(most, now - before);
        before = now;
      }
      ended.set(true);
      Await.end(writer);
      assertThat(peer.port().failure()).isNull();
      assertThat(receive.isDone()).isTrue();
      assertThat(most).isLessThanOrEqualTo(RingLayout.SLOTS);
    }
  }
}
