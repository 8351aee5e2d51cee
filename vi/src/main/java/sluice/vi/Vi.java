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
/// Level I sends and receives byte arrays, which are copied. Level II posts registered [ViBuffer]s,
/// which the application fills and reads in place. Only one thread at a time may post to or wait on
/// the send queue, and likewise for the receive queue. If a second thread does so, an exception is
/// thrown. Any thread may close the VI.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `levelOne` | threads at the queues | volatile | volatile, under the monitor |
/// | `closed` | the first that closes | volatile | compare-and-set |
///
/// Lifecycle: connected → error, after any failure → closed. In the error state all posted
/// descriptors have failed and no more can be posted.
public final class Vi extends Registrar implements AutoCloseable {
  /// The timeout value of a wait that never times out.
  public static final int INFINITE = -1;

  private final Nic nic;
  private final Runnable ending = this::deviceClosed;
  private final ViAttributes attributes;
  private final Port port;
  private final ViQueue sends;
  private final ViQueue receives;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable LevelOne levelOne;

  /// Connects to a [ViServer] with the same tag.
  ///
  /// @param sendQ the completion queue for sends, or null
  /// @param recvQ the completion queue for receives, or null
  /// @throws ViRefused if no server has this tag, or the server requires a different reliability
  /// @throws ViTimeout if the server does not accept the connection before the timeout expires
  /// @throws ViMisconfigured if the address does not belong to this device, or the device does not
  ///   support the reliability
  /// @throws ViClosed if the device has been closed
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

  /// Returns the VI to which a ticket was last posted, or null if it was never posted. This is
  /// useful for completion queues that are shared by many VIs.
  public static @Nullable Vi of(ViTicket ticket) {
    return (Vi) ticket.postedTo();
  }

  public ViAttributes attributes() {
    return attributes;
  }

  /// Returns the maximum message length in bytes, which is the smaller value of both ends.
  public int transferBytes() {
    return port.spec().transferBytes();
  }

  /// Returns the reason for the error state. The result is null while the VI is connected, and also
  /// after the peer has closed its end while earlier messages are still waiting for receives.
  public @Nullable String failure() {
    Failure failure = port.failure();
    return failure == null ? null : told(failure).why();
  }

  // ---- Level I -------------------------------------------------------------------------------

  /// Sends bytes of an array and returns when the send completes. Since the bytes are copied, the
  /// caller may reuse the array even after a failure.
  ///
  /// @throws ViException if the VI has failed or the message is too long
  public void send(byte[] b, int off, int len) throws ViException {
    send(b, off, len, INFINITE);
  }

  /// Sends bytes of an array with a timeout. If a [ViTimeout] is thrown, the message is still in
  /// transit.
  public void send(byte[] b, int off, int len, int microseconds) throws ViException {
    levelOne().send(b, off, len, microseconds);
  }

  /// Waits for a message and returns it in an array whose length is that of the message.
  public byte[] recv(int microseconds) throws ViException {
    return levelOne().recv(microseconds);
  }

  /// Posts an array into which a message can be received.
  public void recvPost(ViBATicket ticket) throws ViException {
    levelOne().recvPost(ticket);
  }

  /// Waits until the next message has been received into an array that was posted by [#recvPost].
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

  /// Posts a part of a buffer to be sent. The device owns the buffer until the send completes.
  ///
  /// @throws ViException if the VI has failed, the queue is full, the buffer is not registered with
  ///   this VI, or the message is too long
  /// @throws IllegalStateException if the buffer is already posted
  public void sendBufPost(ViBufferTicket ticket, int off, int len) throws ViException {
    sends.post(ticket, off, len);
  }

  /// Posts a message whose bytes are gathered from several buffers.
  public void sendBufPost(ViDescriptor pieces) throws ViException {
    sends.post(pieces);
  }

  /// Waits for the oldest send to complete.
  ///
  /// @return a [ViBufferTicket] or a [ViDescriptor]
  /// @throws ViTimeout if the send does not complete before the timeout expires
  /// @throws ViException if the VI has failed and all earlier completions have been returned, in
  ///   which case every posted descriptor has failed
  /// @throws IllegalStateException if nothing is posted, or the oldest send belongs to Level I, in
  ///   which case it remains posted
  public ViTicket sendBufWait(int microseconds) throws ViException {
    return await(sends, microseconds);
  }

  /// Posts the part of a buffer from the given offset to its end for receiving a message.
  public void recvBufPost(ViBufferTicket ticket, int off) throws ViException {
    receives.post(ticket, off, ticket.buffer().sizeBytes() - off);
  }

  /// Posts a part of a buffer for receiving a message.
  public void recvBufPost(ViBufferTicket ticket, int off, int len) throws ViException {
    receives.post(ticket, off, len);
  }

  /// Posts several buffers over which a message is scattered when it is received.
  public void recvBufPost(ViDescriptor pieces) throws ViException {
    receives.post(pieces);
  }

  /// Waits for the next message. The results and exceptions are the same as in [#sendBufWait].
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

  /// Makes progress on sends on behalf of the thread at the receive queue, unless another thread is
  /// using the send queue.
  void progressSends() {
    if (sends.guard().tryPass()) {
      try {
        port.progressSends();
      } finally {
        sends.guard().exitPass();
      }
    }
  }

  /// Fails the pending descriptors of the other queue because the VI has failed. If a thread is
  /// using that queue, it detects the failure itself. A completion queue returns the failed
  /// descriptors.
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

  /// Ends this VI because the device is about to be closed.
  void deviceClosed() {
    port.end(Failure.DEVICE_CLOSED);
  }

  /// Closes the connection. The peer still receives all messages that were sent before. Posted
  /// descriptors fail, and waiting threads throw an exception. Buffers are unregistered. The
  /// calling thread parks, without spinning, until the device and any thread at a queue have left.
  /// The interrupt status is preserved. Idempotent.
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
