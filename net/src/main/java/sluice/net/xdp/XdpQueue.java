package sluice.net.xdp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.net.port.DeviceMemory;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.xdp.XdpSocket;

/// A queue of an interface, which consists of a socket, rings and frames. Instances are owned by
/// the port's thread.
///
/// At any time, a frame is in one of the following states. It is in the pool, it is owned by the
/// kernel or in the fill ring for receiving, it is owned by the kernel or in the transmit ring for
/// sending, or it is owned by the stack.
final class XdpQueue implements AutoCloseable {
  static final int RING = 1024;

  /// The number of frames that are reserved for sending.
  private static final int FOR_SENDING = 1024;

  /// The minimum number of frames for a refill, because each refill requires a fence.
  private static final int REFILL = 64;

  /// The maximum number of system calls per flush. The kernel sends 32 frames with each system
  /// call.
  private static final int WAKEUPS = 64;

  private static final int TRIES = 200;
  private static final long PAUSE_MILLIS = 5;

  private final long base;
  private final QueueLayout layout;

  /// The chunks for receiving. They are also used for sending if there are no separate frames.
  private final FramePool pool;

  private final FramePool sendPool;
  private final boolean separate;

  /// The number of outstanding descriptors of each frame for sending.
  private final int[] parts;

  private final Gather gather;
  private final XdpSocket socket;
  private final DeviceRing receiving;
  private final DeviceRing transmitting;
  private final DeviceRing filling;
  private final DeviceRing completing;
  private boolean staged;

  /// True if there may be descriptors in the transmit ring that the kernel has not processed.
  private boolean unsent;

  /// The number of frames that are owned by the kernel for receiving or contain received data.
  private int receivable;

  /// The number of descriptors that have been sent but not completed.
  private int sending;

  private long lost;

  /// The value of the kernel's drop counter at the time it was last read.
  private long dropped;

  private XdpQueue(DeviceMemory memory, long base, QueueLayout layout) throws SysException {
    this.base = base;
    this.layout = layout;
    MemorySegment own = memory.segment().asSlice(base, layout.bytes());
    this.socket = XdpSocket.open(own, layout.chunkBytes(), RING);
    this.pool = layout.chunkPool(base);
    this.separate = layout.sends() > 0;
    this.sendPool = separate ? layout.sendPool(base) : pool;
    this.parts = new int[layout.sends()];
    this.gather = new Gather(memory.segment(), sendPool, layout.sendBytes());
    this.receiving = new DeviceRing(socket.receiveRing(), RING);
    this.transmitting = new DeviceRing(socket.transmitRing(), RING);
    this.filling = new DeviceRing(socket.fillRing(), RING);
    this.completing = new DeviceRing(socket.completionRing(), RING);
  }

  /// Opens a socket and binds it, in zero-copy mode if that is available.
  ///
  /// @param base the position of the queue's frames in the memory
  static XdpQueue open(
      DeviceMemory memory, long base, QueueLayout layout, int interfaceIndex, int queue)
      throws IOException {
    XdpQueue made = new XdpQueue(memory, base, layout);
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

  /// The result of the attempt to bind the socket in zero-copy mode.
  private int refusal;

  /// True if a packet may be received in several chunks.
  private boolean several;

  private void bind(int interfaceIndex, int queue) throws IOException {
    several = separate;
    int result = bind(interfaceIndex, queue, several ? XdpSocket.XDP_USE_SG : 0);
    if (several && result == -Errno.EINVAL) {
      several = false; // before Linux 6.6
      result = bind(interfaceIndex, queue, 0);
    }
    long _ = SysException.check(result, "XdpSocket.bind", interfaceIndex, "queue " + queue);
  }

  private int bind(int interfaceIndex, int queue, int how) throws IOException {
    int result = tryBind(interfaceIndex, queue, how | XdpSocket.XDP_ZEROCOPY);
    zeroCopy = result == 0;
    refusal = result;
    if (result != 0 && result != -Errno.EBUSY) {
      result = tryBind(interfaceIndex, queue, how | XdpSocket.XDP_COPY);
    }
    return result;
  }

  /// Binds the socket. The operation is retried while the queue of the previous owner is being
  /// closed.
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

  /// Returns the reason why frames are copied, or an empty string if they are not copied.
  String why() {
    return zeroCopy ? "" : "the driver refuses to bind without copies: " + Errno.name(-refusal);
  }

  /// Returns the maximum length of a received packet.
  int most() {
    return layout.most(several);
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
      boolean more = several && receiving.hasMore();
      receiving.skip();
      taken++;
      boolean possible = layout.isInChunk(frame, bytes);
      if (more || gather.isOpen()) {
        gather(frame, bytes, more, possible, into);
      } else if (possible) {
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

  /// Processes one chunk of a packet that is received in several chunks. The packet is added to the
  /// batch after its last chunk.
  private void gather(long frame, int bytes, boolean more, boolean possible, FrameBatch into) {
    if (possible) {
      gather.add(base + frame, bytes);
      pool.release(base + frame);
    } else {
      gather.spoil();
    }
    if (!more) {
      long packet = gather.end();
      if (packet >= 0) {
        into.add(packet, gather.bytes());
      } else {
        lost++;
      }
    }
  }

  /// Submits free frames to the kernel for receiving.
  private void refill() {
    int added = 0;
    int kept = separate ? 0 : FOR_SENDING;
    while (pool.available() > kept && filling.room() > 0) {
      filling.addFrame(pool.claim() - base);
      added++;
    }
    if (added > 0) {
      filling.publish();
      receivable += added;
    }
  }

  /// Reclaims the frames that have been sent.
  private void reap() {
    int taken = 0;
    while (completing.available() > 0) {
      long frame = completing.takeFrame();
      taken++;
      sent(frame);
    }
    if (taken > 0) {
      completing.release();
      sending -= taken;
    }
  }

  /// Processes a completed descriptor. A frame is released after its last descriptor.
  private void sent(long frame) {
    if (layout.isInChunk(frame, 0)) {
      pool.release(base + frame);
      return;
    }
    long at = frame - layout.chunkArea();
    int index = at < 0 ? -1 : (int) Math.min(at / layout.sendBytes(), parts.length);
    if (index < 0 || index == parts.length || parts[index] == 0) {
      lost++;
    } else if (--parts[index] == 0) {
      sendPool.release(base + frame);
    }
  }

  /// Returns the position of a free frame for sending, or -1 if no frame is free.
  long claim() {
    if (sendPool.available() == 0) {
      reap();
    }
    return sendPool.claim();
  }

  void release(long at) {
    if (at - base < layout.chunkArea()) {
      pool.release(at);
    } else {
      sendPool.release(at);
    }
  }

  void send(long at, int bytes) {
    int chunk = layout.chunkBytes();
    int inFirst = chunk - (int) (at - base & (chunk - 1));
    int needed = separate ? 1 + (Math.max(0, bytes - inFirst) + chunk - 1) / chunk : 1;
    if (transmitting.room() < needed) {
      flush();
    }
    if (transmitting.room() < needed) {
      lost++;
      release(at);
      return;
    }
    if (separate && at - base >= layout.chunkArea()) {
      parts[(int) ((at - base - layout.chunkArea()) / layout.sendBytes())] = needed;
    }
    long from = at - base;
    int left = bytes;
    for (int i = 1; i <= needed; i++) {
      int part = i == needed ? left : i == 1 ? inFirst : chunk;
      transmitting.add(from, part, i < needed);
      from += part;
      left -= part;
    }
    staged = true;
    sending += needed;
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

  /// Returns true if the operation may succeed when it is retried. This is not the case if the link
  /// is down or no longer exists.
  private static boolean isTransient(int result) {
    return result >= 0
        || result == -Errno.EAGAIN
        || result == -Errno.EBUSY
        || result == -Errno.ENOBUFS;
  }

  /// Causes the kernel to send the descriptors in the ring.
  ///
  /// @return true if there are descriptors left
  private boolean hasUnsent() {
    for (int i = 0; i < WAKEUPS; i++) {
      if (transmitting.outstanding() == 0) {
        return false;
      }
      if (!transmitting.needsWakeup() || !isTransient(socket.wakeTransmit())) {
        return true;
      }
      reap();
    }
    return transmitting.outstanding() > 0;
  }

  /// Reads the kernel's drop counter.
  void look() {
    dropped = socket.dropped();
  }

  long lost() {
    return lost + dropped;
  }

  @Override
  public void close() {
    socket.close();
  }
}
