package sluice.net.stack;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import sluice.loop.engine.NanoClock;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.net.port.LinkChange;
import sluice.net.port.LinkListener;
import sluice.net.port.PacketPort;
import sluice.net.wire.EthernetHeader;

/// A wire between stations in simulated time. It loses, duplicates, delays and corrupts frames at
/// random, reproducibly from a seed. Used by the test's thread.
final class SimWire implements NanoClock {
  static final int FRAME_BYTES = 2048;
  private static final int FRAMES = 256;
  private static final long FLIGHT_NANOS = 10_000;

  /// The number of faults of each kind per thousand frames.
  record Faults(int lost, int repeated, int delayed, int corrupted) {
    static final Faults NONE = new Faults(0, 0, 0, 0);
  }

  /// A frame on its way to a station.
  private static final class Flight {
    private final long arrival;
    private final long number;
    private final int target;
    private final byte[] bytes;

    Flight(long arrival, long number, int target, byte[] bytes) {
      this.arrival = arrival;
      this.number = number;
      this.target = target;
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
  private final Faults faults;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(
          Comparator.comparingLong(Flight::arrival).thenComparingLong(Flight::number));
  private final List<Station> stations = new ArrayList<>();
  private long now = 1_000_000_000_000L;
  private long sent;
  private int corruptedId = -1;
  private Consumer<byte[]> tap = _ -> {};

  SimWire(long seed, Faults faults) {
    this.random = new Random(seed);
    this.faults = faults;
  }

  @Override
  public long nanos() {
    return now;
  }

  /// Sets a consumer that receives each frame that is sent.
  void tap(Consumer<byte[]> value) {
    tap = value;
  }

  /// Attaches a station with the address 02:00:00:00:00:NN.
  Station attach(int mtu) {
    Station made = new Station(stations.size() + 1, mtu);
    stations.add(made);
    return made;
  }

  private boolean happens(int thousandths) {
    return random.nextInt(1000) < thousandths;
  }

  /// Puts a frame on the wire to all stations except one.
  void put(byte[] bytes, int from) {
    tap.accept(bytes);
    for (int i = 0; i < stations.size(); i++) {
      if (i + 1 != from) {
        fly(bytes.clone(), i);
      }
    }
  }

  /// Returns true if a flipped bit in the frame is sure to be detected. ARP has no checksum except
  /// the one of the Ethernet frame, and two flipped bits in two fragments of the same packet may
  /// cancel each other in the checksum.
  private boolean mayBeFound(byte[] frame) {
    boolean arp = frame[12] == 8 && frame[13] == 6;
    return !arp && id(frame) != corruptedId;
  }

  private static int id(byte[] frame) {
    return (frame[18] & 0xff) << 8 | (frame[19] & 0xff);
  }

  private void fly(byte[] bytes, int target) {
    if (happens(faults.lost)) {
      return;
    }
    if (happens(faults.corrupted) && mayBeFound(bytes)) {
      corruptedId = id(bytes);
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    long late = happens(faults.delayed) ? random.nextInt(50) * FLIGHT_NANOS : 0;
    flights.add(new Flight(now + FLIGHT_NANOS + late, sent++, target, bytes));
    if (happens(faults.repeated)) {
      flights.add(new Flight(now + 3 * FLIGHT_NANOS, sent++, target, bytes));
    }
  }

  /// Advances the clock and delivers the frames that arrive in that time.
  void advance(long nanos) {
    now += nanos;
    while (!flights.isEmpty() && flights.peek().arrival <= now) {
      Flight flight = flights.remove();
      stations.get(flight.target).arrived.add(flight.bytes);
    }
  }

  /// Advances the clock in small steps and polls all stacks at each step.
  void run(int steps, Ipv4Stack... stacks) {
    for (int i = 0; i < steps; i++) {
      advance(FLIGHT_NANOS);
      for (Ipv4Stack stack : stacks) {
        int _ = stack.poll();
      }
    }
  }

  /// Runs for twenty seconds in larger steps, so that nothing is in flight at the end. Also calls
  /// `tick` of the stacks.
  void settle(Ipv4Stack... stacks) {
    for (int i = 0; i < 200; i++) {
      run(20, stacks);
      advance(100_000_000L);
      for (Ipv4Stack stack : stacks) {
        stack.tick();
      }
    }
  }

  /// One end of the wire.
  final class Station implements PacketPort {
    private final int number;
    private int mtu;
    private int told;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate((long) FRAMES * FRAME_BYTES);
    private final FramePool pool = new FramePool(0, FRAMES, FRAME_BYTES);
    private final List<byte[]> arrived = new ArrayList<>();
    private final List<byte[]> staged = new ArrayList<>();
    private long lost;

    Station(int number, int mtu) {
      this.number = number;
      this.mtu = mtu;
      this.told = mtu;
    }

    /// Changes the MTU, as `ip link set mtu` does. The stack learns of it at its next tick.
    void mtu(int value) {
      mtu = value;
    }

    @Override
    public void look(LinkListener to) {
      if (told != mtu) {
        told = mtu;
        to.changed(LinkChange.MTU, "the MTU of " + name() + " is " + mtu);
      }
    }

    /// Returns the number of free frames. All frames must be free when nothing is in flight.
    int free() {
      return pool.available();
    }

    int frames() {
      return FRAMES;
    }

    /// Makes the station receive a frame that was not on the wire.
    void arrive(byte[] frame) {
      arrived.add(frame);
    }

    @Override
    public String name() {
      return "sim" + number;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public int frameBytes() {
      return FRAME_BYTES;
    }

    @Override
    public long macAddress() {
      return 0x0200_0000_0000L + number;
    }

    @Override
    public int mtu() {
      return mtu;
    }

    @Override
    public int descriptor() {
      return -1;
    }

    @Override
    public int receive(FrameBatch into) {
      int count = 0;
      while (!arrived.isEmpty() && !into.isFull()) {
        byte[] bytes = arrived.removeFirst();
        long frame = pool.claim();
        if (frame < 0 || bytes.length > FRAME_BYTES) {
          lost++;
          continue;
        }
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, frame, bytes.length);
        into.add(frame, bytes.length);
        count++;
      }
      return count;
    }

    @Override
    public long claim() {
      return pool.claim();
    }

    @Override
    public void release(long at) {
      pool.release(at);
    }

    @Override
    public void send(long at, int bytes) {
      if (bytes > mtu + EthernetHeader.BYTES) {
        throw new AssertionError(bytes + " bytes on a link of " + mtu);
      }
      staged.add(memory.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE));
      pool.release(at);
    }

    @Override
    public void flush() {
      staged.forEach(frame -> put(frame, number));
      staged.clear();
    }

    @Override
    public long lost() {
      return lost;
    }

    @Override
    public void close() {
      if (arena.scope().isAlive()) {
        arena.close();
      }
    }
  }
}
