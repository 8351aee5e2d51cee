package sluice.vi.xdp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.net.port.PacketPort;
import sluice.sys.EventFd;
import sluice.sys.SysException;

/// A wire between two stacks in memory, each with a thread of its own: it loses, repeats and
/// reorders frames as a seed says.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `random`, `held`, `Station.arrived` | both stacks' threads | under the monitor | same |
/// | the rest of a station | its stack's thread | plain | plain |
public final class StackWire {
  private static final int FRAMES = 512;
  private static final int FRAME_BYTES = 2048;
  private static final int MTU = 1500;

  /// Frames that may wait at a station; more are lost.
  private static final int MOST_ARRIVED = 400;

  private final Random random;
  private final int faults;
  private final UnaryOperator<byte[]> tap;
  private final List<Station> stations = new ArrayList<>();

  /// Frames of both stations, and how often a device would have been told of some.
  public final AtomicInteger frames = new AtomicInteger();

  public final AtomicInteger kicks = new AtomicInteger();

  /// @param faults how often each happens to a frame, in a thousand
  /// @param tap sees and changes each frame
  public StackWire(long seed, int faults, UnaryOperator<byte[]> tap) throws SysException {
    random = new Random(seed);
    this.faults = faults;
    this.tap = tap;
    stations.add(new Station(1));
    stations.add(new Station(2));
  }

  /// @param number 0 or 1
  public PacketPort end(int number) {
    return stations.get(number);
  }

  private boolean happens() {
    return random.nextInt(1000) < faults;
  }

  private synchronized void put(byte[] frame, Station from) {
    Station to = stations.get(from == stations.get(0) ? 1 : 0);
    byte[] late = to.held;
    if (happens()) {
      to.held = frame; // behind the next one
    } else if (!happens()) {
      to.arrive(frame);
      if (happens()) {
        to.arrive(frame);
      }
    }
    if (late != null) {
      to.arrive(late);
      to.held = to.held == late ? null : to.held;
    }
  }

  /// One end of the wire.
  private final class Station implements PacketPort {
    private final int number;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate((long) FRAMES * FRAME_BYTES);
    private final FramePool pool = new FramePool(0, FRAMES, FRAME_BYTES);
    private final EventFd ready = EventFd.open(true);
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private byte @Nullable [] held;
    private boolean staged;
    private long lost;

    Station(int number) throws SysException {
      this.number = number;
    }

    private void arrive(byte[] frame) {
      if (arrived.size() < MOST_ARRIVED) {
        arrived.add(frame);
        boolean _ = ready.signal();
      }
    }

    @Override
    public String name() {
      return "wire" + number;
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
      return MTU;
    }

    @Override
    public int descriptor() {
      return ready.fd();
    }

    @Override
    public int receive(FrameBatch into) {
      long _ = ready.drain();
      int count = 0;
      synchronized (StackWire.this) {
        while (!arrived.isEmpty() && !into.isFull()) {
          byte[] bytes = arrived.remove();
          long frame = pool.claim();
          if (frame < 0) {
            lost++;
            continue;
          }
          MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, frame, bytes.length);
          into.add(frame, bytes.length);
          count++;
        }
        if (!arrived.isEmpty()) {
          boolean _ = ready.signal();
        }
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
      byte[] frame = memory.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE);
      pool.release(at);
      put(tap.apply(frame), this);
      staged = true;
      frames.incrementAndGet();
    }

    @Override
    public void flush() {
      if (staged) {
        staged = false;
        kicks.incrementAndGet();
      }
    }

    @Override
    public long lost() {
      return lost;
    }

    @Override
    public void close() {
      synchronized (StackWire.this) {
        arrived.clear();
        ready.close();
      }
      if (arena.scope().isAlive()) {
        arena.close();
      }
    }
  }
}
