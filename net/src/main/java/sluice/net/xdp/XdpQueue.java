package sluice.net.xdp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.net.port.DeviceMemory;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.xdp.XdpSocket;

/// One queue of an interface: its socket, rings and frames. Owned by the port's thread.
///
/// A frame is in one place at each time: in the pool, in the fill ring or with the kernel for
/// receiving, in the transmit ring or with the kernel for sending, or with the stack.
final class XdpQueue implements AutoCloseable {
  static final int FRAME_BYTES = 2048;
  static final int FRAMES = 4096;
  static final int RING = 1024;

  /// In front of each frame that the kernel writes (`XDP_PACKET_HEADROOM`).
  static final int HEADROOM_BYTES = 256;

  /// Frames that receiving leaves for sending.
  private static final int FOR_SENDING = 1024;

  /// Frames that the kernel gets together: each time costs a fence.
  private static final int REFILL = 64;

  /// Calls for one flush: the kernel sends 32 frames in each.
  private static final int WAKEUPS = 64;

  private static final int TRIES = 200;
  private static final long PAUSE_MILLIS = 5;

  private final long base;
  private final FramePool pool;
  private final XdpSocket socket;
  private final DeviceRing receiving;
  private final DeviceRing transmitting;
  private final DeviceRing filling;
  private final DeviceRing completing;
  private boolean staged;

  /// Whether the kernel may have left something in the transmit ring.
  private boolean unsent;

  /// Frames that the kernel has for receiving, or has received into.
  private int receivable;

  /// Frames that were sent and did not come back.
  private int sending;

  private long lost;

  private XdpQueue(DeviceMemory memory, long base) throws SysException {
    this.base = base;
    MemorySegment own = memory.segment().asSlice(base, (long) FRAMES * FRAME_BYTES);
    this.socket = XdpSocket.open(own, FRAME_BYTES, RING);
    this.pool = new FramePool(base, FRAMES, FRAME_BYTES);
    this.receiving = new DeviceRing(socket.receiveRing(), RING);
    this.transmitting = new DeviceRing(socket.transmitRing(), RING);
    this.filling = new DeviceRing(socket.fillRing(), RING);
    this.completing = new DeviceRing(socket.completionRing(), RING);
  }

  /// Opens a socket and binds it: without copies where that is offered.
  ///
  /// @param base where its frames begin in the memory
  static XdpQueue open(DeviceMemory memory, long base, int interfaceIndex, int queue)
      throws IOException {
    XdpQueue made = new XdpQueue(memory, base);
    try {
      made.refill();
      made.bind(interfaceIndex, queue);
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private boolean zeroCopy;

  /// What binding without copies came to.
  private int refusal;

  private void bind(int interfaceIndex, int queue) throws IOException {
    int result = tryBind(interfaceIndex, queue, XdpSocket.XDP_ZEROCOPY);
    zeroCopy = result == 0;
    refusal = result;
    if (result != 0 && result != -Errno.EBUSY) {
      result = tryBind(interfaceIndex, queue, XdpSocket.XDP_COPY);
    }
    long _ = SysException.check(result, "XdpSocket.bind", interfaceIndex, "queue " + queue);
  }

  /// Tries again while the last owner's queue is being taken down.
  private int tryBind(int interfaceIndex, int queue, int how) throws IOException {
    int result = -Errno.EBUSY;
    for (int i = 0; i < TRIES && result == -Errno.EBUSY; i++) {
      if (i > 0) {
        pause();
      }
      result = socket.bind(interfaceIndex, queue, how | XdpSocket.XDP_USE_NEED_WAKEUP);
    }
    return result;
  }

  static void pause() throws IOException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a queue was opened", e);
    }
  }

  boolean isZeroCopy() {
    return zeroCopy;
  }

  /// Why frames are copied; empty when they are not.
  String why() {
    return zeroCopy ? "" : "the driver refuses to bind without copies: " + Errno.name(-refusal);
  }

  int descriptor() {
    return socket.descriptor();
  }

  int receive(FrameBatch into) {
    if (sending > 0) {
      reap();
    }
    int before = into.count();
    int taken = 0;
    while (!into.isFull() && receiving.available() > 0) {
      long frame = receiving.frame();
      int bytes = receiving.bytes();
      receiving.skip();
      taken++;
      if (isInFrame(frame, bytes)) {
        into.add(base + frame, bytes);
      } else {
        lost++;
      }
    }
    if (taken > 0) {
      receiving.release();
      receivable -= taken;
    }
    if (receivable <= RING - REFILL) {
      refill();
    }
    if (filling.needsWakeup()) {
      int _ = socket.wakeReceive();
    }
    return into.count() - before;
  }

  /// Whether bytes that the kernel names lie in one frame of ours.
  static boolean isInFrame(long at, int bytes) {
    return at >= 0
        && at < (long) FRAMES * FRAME_BYTES
        && bytes >= 0
        && bytes <= FRAME_BYTES - (at & (FRAME_BYTES - 1));
  }

  /// Gives the kernel frames to receive into.
  private void refill() {
    int added = 0;
    while (pool.available() > FOR_SENDING && filling.room() > 0) {
      filling.addFrame(pool.claim() - base);
      added++;
    }
    if (added > 0) {
      filling.publish();
      receivable += added;
    }
  }

  /// Takes back the frames that were sent.
  private void reap() {
    int taken = 0;
    while (completing.available() > 0) {
      long frame = completing.takeFrame();
      taken++;
      if (isInFrame(frame, 0)) {
        pool.release(base + frame);
      } else {
        lost++;
      }
    }
    if (taken > 0) {
      completing.release();
      sending -= taken;
    }
  }

  /// @return -1 when there is none
  long claim() {
    if (pool.available() == 0) {
      reap();
    }
    return pool.claim();
  }

  void release(long at) {
    pool.release(at);
  }

  void send(long at, int bytes) {
    if (transmitting.room() == 0) {
      flush();
    }
    if (transmitting.room() == 0) {
      lost++;
      pool.release(at);
      return;
    }
    transmitting.add(at - base, bytes);
    staged = true;
    sending++;
  }

  void flush() {
    if (staged) {
      staged = false;
      unsent = true;
      transmitting.publish();
    }
    if (unsent) {
      unsent = hasUnsent();
    }
  }

  /// Lets the kernel send what is in the ring.
  ///
  /// @return whether it has left something
  private boolean hasUnsent() {
    for (int i = 0; i < WAKEUPS; i++) {
      if (transmitting.outstanding() == 0) {
        return false;
      }
      if (!transmitting.needsWakeup() || socket.wakeTransmit() == -Errno.ENETDOWN) {
        return true;
      }
      reap();
    }
    return transmitting.outstanding() > 0;
  }

  long lost() {
    return lost;
  }

  @Override
  public void close() {
    socket.close();
  }
}
