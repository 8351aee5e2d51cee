package sluice.vi.xdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Two ends of a connection on a wire in simulated time, which loses, repeats and delays datagrams
/// as a seed says. Of the test's thread.
final class SimLines {
  static final long STEP_NANOS = 50_000;
  private static final int DATAGRAM_BYTES = 300;

  /// What each side has heard of the other: small datagrams, so that a message has many.
  private static final Offer OFFER = new Offer(1 << 20, DATAGRAM_BYTES, 8, 0);

  /// A datagram on its way.
  private static final class Flight {
    private final long arrival;
    private final long number;
    private final XdpPort to;
    private final byte[] bytes;

    Flight(long arrival, long number, XdpPort to, byte[] bytes) {
      this.arrival = arrival;
      this.number = number;
      this.to = to;
      this.bytes = bytes;
    }

    long arrival() {
      return arrival;
    }

    long number() {
      return number;
    }
  }

  private final Random random;
  private final int faults;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(
          Comparator.comparingLong(Flight::arrival).thenComparingLong(Flight::number));
  private final ArrayDeque<Runnable> orders = new ArrayDeque<>();
  private final List<XdpPort> gone = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5_000_000_000L; // it wraps while a test runs
  private long number;

  /// Changes what is sent.
  UnaryOperator<byte[]> tap = bytes -> bytes;

  boolean cut;
  long sent;
  final XdpPort left;
  final XdpPort right;

  /// @param faults how often each happens to a datagram, in a thousand
  SimLines(long seed, int faults, PortSpec spec) {
    random = new Random(seed);
    this.faults = faults;
    Side leftSide = new Side();
    Side rightSide = new Side();
    left = new XdpPort(leftSide, spec, 0x1111_0000_0001L, 0x2222_0000_0002L, OFFER);
    right = new XdpPort(rightSide, spec, 0x2222_0000_0002L, 0x1111_0000_0001L, OFFER);
    leftSide.peer = right;
    rightSide.peer = left;
  }

  static PortSpec spec(boolean discards, boolean acknowledged) {
    // A stash of eight fragments, so that it is full soon.
    return new PortSpec(1, discards, acknowledged, 8, 8, 10_000, 2048);
  }

  private final class Side implements Line {
    private final MemorySegment memory = Arena.ofAuto().allocate(Datagram.MOST_BYTES);
    private @Nullable XdpPort peer;

    @Override
    public long now() {
      return now;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public void send(XdpPort from, int length) {
      sent++;
      byte[] bytes = tap.apply(memory.asSlice(0, length).toArray(JAVA_BYTE));
      XdpPort to = peer;
      if (to != null) {
        put(to, bytes);
      }
    }

    @Override
    public void soon(XdpPort port) {
      if (port.queue()) {
        orders.add(port::turn);
      }
    }

    @Override
    public boolean order(Runnable order) {
      return orders.add(order);
    }

    @Override
    public void gone(XdpPort port) {
      gone.add(port);
    }
  }

  private boolean happens() {
    return random.nextInt(1000) < faults;
  }

  private void put(XdpPort to, byte[] bytes) {
    if (cut || happens()) {
      return;
    }
    long late = happens() ? random.nextInt(40) * STEP_NANOS : 0;
    flights.add(new Flight(now + STEP_NANOS + late, number++, to, bytes));
    if (happens()) {
      flights.add(new Flight(now + random.nextInt(60) * STEP_NANOS, number++, to, bytes));
    }
  }

  /// As if a datagram had come.
  static void arrive(XdpPort at, byte[] bytes) {
    MemorySegment copy = Arena.ofAuto().allocate(Math.max(bytes.length, Datagram.MOST_BYTES));
    MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
    int kind = Datagram.kind(copy, bytes.length);
    if (kind != 0 && Datagram.to(copy) == at.id()) {
      at.received(copy, kind, bytes.length);
    }
  }

  void step() {
    now += STEP_NANOS;
    while (!flights.isEmpty() && flights.peek().arrival - now <= 0) {
      Flight flight = flights.remove();
      if (!gone.contains(flight.to)) {
        arrive(flight.to, flight.bytes);
      } else {
        answerGone(flight);
      }
    }
    for (int left = orders.size(); left > 0; left--) {
      orders.remove().run(); // what it asks for comes with the next step, as in a loop's turn
    }
    left.tick();
    right.tick();
  }

  /// As a device does for a number that it does not know.
  private void answerGone(Flight flight) {
    MemorySegment came = MemorySegment.ofArray(flight.bytes);
    int kind = Datagram.kind(came, flight.bytes.length);
    if (kind != 0 && kind != Datagram.GONE) {
      byte[] answer = new byte[Datagram.PREFIX_BYTES];
      int _ =
          Datagram.prefix(
              MemorySegment.ofArray(answer),
              Datagram.GONE,
              0,
              Datagram.from(came),
              Datagram.to(came));
      put(flight.to == left ? right : left, answer);
    }
  }

  /// Steps until something is so, for two minutes of simulated time.
  void until(String what, BooleanSupplier done) {
    for (int i = 0; i < 2_400_000; i++) {
      if (done.getAsBoolean()) {
        return;
      }
      step();
    }
    throw new AssertionError("never: " + what + "; " + left + ", " + right);
  }

  /// Steps until a queue returns a descriptor.
  Descriptor next(String what, Supplier<@Nullable Descriptor> queue) {
    for (int i = 0; i < 2_400_000; i++) {
      Descriptor done = queue.get();
      if (done != null) {
        return done;
      }
      step();
    }
    throw new AssertionError("never: " + what + "; " + left + ", " + right);
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  // ---- messages ------------------------------------------------------------------------------

  static byte[] message(int number, int length) {
    byte[] bytes = new byte[length];
    new Random(number * 31L + length).nextBytes(bytes);
    return bytes;
  }

  static Descriptor postSend(Port port, byte[] bytes) {
    Descriptor made = new Descriptor(bytes, 1);
    made.add(MemorySegment.ofArray(bytes), 0, bytes.length, 0);
    port.postSend(made);
    return made;
  }

  static final int GUARD = 16;

  /// Posts room in the middle of an array.
  static Descriptor postReceive(Port port, int length) {
    byte[] room = new byte[length + 2 * GUARD];
    Descriptor made = new Descriptor(room, 1);
    made.add(MemorySegment.ofArray(room), GUARD, length, 0);
    port.postReceive(made);
    return made;
  }

  /// The message of a receive; nothing around it was touched.
  static byte[] content(Descriptor done) {
    byte[] room = (byte[]) done.owner();
    int length = done.transferredBytes();
    for (int i = 0; i < GUARD; i++) {
      assertThat(room[i]).isZero();
      assertThat(room[room.length - 1 - i]).isZero();
    }
    return Arrays.copyOfRange(room, GUARD, GUARD + length);
  }

  boolean bothGone() {
    return left.isGone() && right.isGone();
  }
}
