package sluice.net.stack;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.net.port.LinkListener;
import sluice.net.port.PacketPort;

/// A port without a wire that allocates no objects. It delivers the frame that a test offers and
/// counts the frames sent. Used by the test's thread.
final class QuietPort implements PacketPort {
  private final MemorySegment memory = Arena.ofAuto().allocate(64 * 2048);
  private final FramePool pool = new FramePool(0, 64, 2048);
  private byte @Nullable [] offered;
  private byte @Nullable [] heard;
  private long sent;

  void offer(byte[] frame) {
    offered = frame;
  }

  /// Offers an ARP frame that arrives outside of the queues. It is delivered by the next `look`.
  void hear(byte[] frame) {
    heard = frame;
  }

  @Override
  public void look(LinkListener to) {
    byte[] frame = heard;
    long at = frame == null ? -1 : pool.claim();
    if (frame != null && at >= 0) {
      heard = null;
      int bytes = Math.min(frame.length, 64);
      MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, at, bytes);
      to.heard(at, bytes);
      pool.release(at);
    }
  }

  long sent() {
    return sent;
  }

  int free() {
    return pool.available();
  }

  @Override
  public String name() {
    return "quiet";
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public int frameBytes() {
    return 2048;
  }

  @Override
  public long macAddress() {
    return 0x0200_0000_0002L;
  }

  @Override
  public int mtu() {
    return 1500;
  }

  @Override
  public int descriptor() {
    return -1;
  }

  @Override
  public int receive(FrameBatch into) {
    byte[] frame = offered;
    if (frame == null) {
      return 0;
    }
    offered = null;
    long at = pool.claim();
    int bytes = Math.min(frame.length, 2048);
    MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, at, bytes);
    into.add(at, bytes);
    return 1;
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
    sent++;
    pool.release(at);
  }

  @Override
  public void flush() {}

  @Override
  public long lost() {
    return 0;
  }

  @Override
  public void close() {}
}
