package sluice.vi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Device;
import sluice.vi.device.Failure;
import sluice.vi.device.Port;

/// A Virtual Interface: a connection to one other VI, with a send queue and a receive queue (Chang
/// and von Eicken, "Interfacing Java to the Virtual Interface Architecture").
///
/// Level I sends and receives byte arrays and copies them. Level II posts registered [ViBuffer]s,
/// which the application fills and reads in place. One thread at a time uses the send queue, post
/// and wait alike, and one the receive queue; a second one is refused. Any thread may close.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `levelOne` | threads at the queues | volatile | volatile, under the monitor |
/// | `closed` | the first that closes | volatile | compare-and-set |
///
/// Lifecycle: connected → error, when anything fails → closed. In the error state every posted
/// descriptor has failed and nothing can be posted.
public final class Vi extends Registrar implements AutoCloseable {
  /// Waits for any time.
  public static final int INFINITE = -1;

  private final Nic nic;
  private final Runnable ending = this::deviceClosed;
  private final ViAttributes attributes;
  private final Port port;
  private final ViQueue sends;
  private final ViQueue receives;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable LevelOne levelOne;

  /// Connects to a [ViServer] of the same tag.
  ///
  /// @param sendQ where completed sends go, or null
  /// @param recvQ where completed receives go, or null
  /// @throws ViRefused when no server has this tag, or it wants another reliability
  /// @throws ViTimeout when it does not accept in time
  /// @throws ViMisconfigured when the address is none of this device, or the device does not have
  ///   the reliability
  /// @throws ViClosed when the device has been closed
  public Vi(
      ViAddress mach,
      ViAttributes attr,
      @Nullable ViCompletionQ sendQ,
      @Nullable ViCompletionQ recvQ,
      int tag)
      throws ViException {
    this(mach.nic(), connect(mach, attr, tag), attr, sendQ, recvQ);
  }

  Vi(
      Nic nic,
      Port port,
      ViAttributes attributes,
      @Nullable ViCompletionQ sendQ,
      @Nullable ViCompletionQ recvQ) {
    this.nic = nic;
    this.port = port;
    this.attributes = attributes;
    sends = new ViQueue(this, port, true, attributes.sendDepth(), sendQ);
    receives = new ViQueue(this, port, false, attributes.receiveDepth(), recvQ);
    if (sendQ != null) {
      sendQ.add(sends);
    }
    if (recvQ != null) {
      recvQ.add(receives);
    }
    nic.opened(ending);
  }

  private static Port connect(ViAddress mach, ViAttributes attr, int tag) throws ViException {
    Device device = mach.nic().device();
    try {
      return device.connect(mach.place(), attr.spec(tag), nanos(attr.connectMicros()));
    } catch (IOException e) {
      throw mach.nic().told("no VI to " + mach.place(), e);
    }
  }

  static long nanos(int micros) {
    return micros < 0 ? -1 : TimeUnit.MICROSECONDS.toNanos(micros);
  }

  /// The VI that a ticket was posted to last, which a completion queue of many VIs does not tell
  /// otherwise; null when it was posted to none.
  public static @Nullable Vi of(ViTicket ticket) {
    return (Vi) ticket.postedTo();
  }

  public ViAttributes attributes() {
    return attributes;
  }

  /// Longest message, as both ends agreed on it.
  public int transferBytes() {
    return port.spec().transferBytes();
  }

  /// What put the VI into the error state; null while it is connected, and after the peer's end
  /// while messages that came before it wait for receives.
  public @Nullable String failure() {
    Failure failure = port.failure();
    return failure == null ? null : told(failure).why();
  }

  // ---- Level I -------------------------------------------------------------------------------

  /// Sends bytes of an array and returns when the send completes. Copies; the array is the caller's
  /// again, also after a failure.
  ///
  /// @throws ViException when the VI has failed, or the message is too long
  public void send(byte[] b, int off, int len) throws ViException {
    send(b, off, len, INFINITE);
  }

  /// As the other [#send], for a time. After a [ViTimeout] the message is still under way.
  public void send(byte[] b, int off, int len, int microseconds) throws ViException {
    levelOne().send(b, off, len, microseconds);
  }

  /// Waits for a message and returns it in an array of its length.
  public byte[] recv(int microseconds) throws ViException {
    return levelOne().recv(microseconds);
  }

  /// Posts room for a message in an array.
  public void recvPost(ViBATicket ticket) throws ViException {
    levelOne().recvPost(ticket);
  }

  /// Waits for the next message that [#recvPost] made room for.
  public ViBATicket recvWait(int microseconds) throws ViException {
    return levelOne().recvWait(microseconds);
  }

  private LevelOne levelOne() {
    LevelOne now = levelOne;
    if (now == null) {
      synchronized (this) {
        now = levelOne;
        if (now == null) {
          now = new LevelOne(this, sends, receives);
          levelOne = now;
        }
      }
    }
    return now;
  }

  // ---- Level II ------------------------------------------------------------------------------

  /// Posts a part of a buffer to be sent. The buffer is the device's until the send completes.
  ///
  /// @throws ViException when the VI has failed, the queue is full, the buffer is not registered
  ///   with this VI, or the message is too long
  /// @throws IllegalStateException when the buffer is posted already
  public void sendBufPost(ViBufferTicket ticket, int off, int len) throws ViException {
    sends.post(ticket, off, len);
  }

  /// Posts a message gathered from several buffers.
  public void sendBufPost(ViDescriptor pieces) throws ViException {
    sends.post(pieces);
  }

  /// Waits for the oldest send to complete.
  ///
  /// @return a [ViBufferTicket] or a [ViDescriptor]
  /// @throws ViTimeout when it did not in this time
  /// @throws ViException when the VI has failed, and all that completed before has been returned;
  ///   every posted descriptor has failed then
  /// @throws IllegalStateException when nothing is posted, or Level I's; that stays posted
  public ViTicket sendBufWait(int microseconds) throws ViException {
    return await(sends, microseconds);
  }

  /// Posts room for a message: a buffer from an offset to its end.
  public void recvBufPost(ViBufferTicket ticket, int off) throws ViException {
    receives.post(ticket, off, ticket.buffer().sizeBytes() - off);
  }

  /// Posts room for a message: a part of a buffer.
  public void recvBufPost(ViBufferTicket ticket, int off, int len) throws ViException {
    receives.post(ticket, off, len);
  }

  /// Posts room for a message that is scattered over several buffers.
  public void recvBufPost(ViDescriptor pieces) throws ViException {
    receives.post(pieces);
  }

  /// Waits for the next message. As [#sendBufWait].
  public ViTicket recvBufWait(int microseconds) throws ViException {
    return await(receives, microseconds);
  }

  private ViTicket await(ViQueue queue, int micros) throws ViException {
    queue.guard().enter();
    try {
      return queue.await(false, micros);
    } finally {
      queue.guard().exit();
    }
  }

  // ---- what the parts need -------------------------------------------------------------------

  @Override
  long register(MemorySegment memory, boolean writable) throws ViException {
    checkConnected();
    try {
      return port.register(memory, writable);
    } catch (IOException e) {
      throw nic.told("the buffer could not be registered", e);
    }
  }

  @Override
  void unregister(long key) {
    port.unregister(key);
  }

  boolean takesArrays() {
    return port.takesArrays();
  }

  boolean hasFailed() {
    return port.failure() != null;
  }

  void checkConnected() throws ViException {
    Failure failure = port.failure();
    if (failure != null) {
      throw ViFaults.of(told(failure));
    }
  }

  Failure told(Failure why) {
    return nic.told(why);
  }

  /// A thread at the receive queue goes on with sends, unless their own thread is there.
  void progressSends() {
    if (sends.guard().tryPass()) {
      try {
        port.progressSends();
      } finally {
        sends.guard().exitPass();
      }
    }
  }

  /// The VI has failed, and so has what is posted to the other queue and not done. A thread at that
  /// queue, if there is one, finds out by itself; a completion queue returns what failed.
  void failed(ViQueue which) {
    ViQueue other = which == sends ? receives : sends;
    if (other.completions() == null && other.guard().tryPass()) {
      try {
        other.settle();
      } finally {
        other.guard().exitPass();
      }
    }
  }

  /// The device is about to be closed.
  void deviceClosed() {
    port.end(Failure.DEVICE_CLOSED);
  }

  /// Ends the connection. The peer still gets what was sent; what is posted here fails, and a
  /// thread that waits is told. Registrations end. The calling thread parks until the device and a
  /// thread at a queue have left; it never spins, and an interrupt is kept. Idempotent.
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    nic.closed(ending);
    port.end(Failure.CLOSED);
    sends.guard().enterUninterruptibly();
    receives.guard().enterUninterruptibly();
    try {
      sends.end();
      receives.end();
      LevelOne copies = levelOne;
      if (copies != null) {
        copies.close();
      }
    } finally {
      receives.guard().exit();
      sends.guard().exit();
    }
    for (ViQueue queue : new ViQueue[] {sends, receives}) {
      ViCompletionQ completions = queue.completions();
      if (completions != null) {
        completions.remove(queue);
      }
    }
    port.close();
  }
}
