package sluice.vi.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Port;
import sluice.vi.device.PortQueues;
import sluice.vi.device.PortSpec;
import sluice.vi.device.WorkQueue;

/// One end of a VI over TCP. The send queue belongs to one thread at a time, the receive queue to
/// one; the loop's thread copies between their buffers and the connection, and counts what is done.
///
/// **Memory.** A descriptor is returned when the loop has finished with it: it is counted in
/// `sendsDone` or `receivesDone`, or `sendsEnded` or `receivesEnded` has been set, after which the
/// loop touches none. The kernel never sees a buffer.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `sends`, `sendsTaken` | the thread at the send queue | plain | plain |
/// | `receives`, `receivesTaken` | the thread at the receive queue | plain | plain |
/// | `sendsDone`, `receivesDone` | the loop | acquire | volatile |
/// | `sendsEnded`, `receivesEnded` | the loop | volatile | volatile |
/// | `failure` | the first that finds one | volatile | volatile, under the monitor |
/// | the rest | the loop | plain | plain |
final class RingPort extends RingLoop.Task implements Port, RingConnection.User {
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final VarHandle SENDS_DONE;
  private static final VarHandle RECEIVES_DONE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SENDS_DONE = lookup.findVarHandle(RingPort.class, "sendsDone", int.class);
      RECEIVES_DONE = lookup.findVarHandle(RingPort.class, "receivesDone", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RingLoop loop;
  private final RingConnection connection;
  private final PortSpec spec;
  private final PortQueues queues;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final Handover toSend;
  private final Handover toReceive;
  private int sendsTaken;
  private int receivesTaken;
  private int sendsDone;
  private int receivesDone;
  private volatile @Nullable String sendsEnded;
  private volatile @Nullable String receivesEnded;
  private volatile @Nullable String failure;

  // ---- of the loop ---------------------------------------------------------------------------

  /// Messages that have been copied and have not left, in their order; where the peer acknowledges,
  /// those that wait for its word, which may come before the engine tells that they have left.
  private final ArrayDeque<Descriptor> leaving;

  private final ArrayDeque<Descriptor> unanswered;
  private @Nullable Descriptor sending;
  private @Nullable Descriptor receiving;
  private int verdict;
  private int takenDue;
  private int farewell;
  private long head;
  private int headBytes;

  /// Of the message that comes: how long, how much has come; -1 before its head.
  private int messageBytes = -1;

  private int arrivedBytes;
  private boolean discarding;
  private @Nullable String peerEnd;

  /// @param answers whether the peer is to be told first that it is accepted
  RingPort(RingLoop loop, RingConnection connection, PortSpec spec, boolean answers) {
    this.loop = loop;
    this.connection = connection;
    this.spec = spec;
    verdict = answers ? Frame.ACCEPTED : 0;
    queues = new PortQueues(spec);
    sends = queues.sends;
    receives = queues.receives;
    toSend = new Handover(spec.sendDepth());
    toReceive = new Handover(spec.receiveDepth());
    leaving = new ArrayDeque<>(spec.sendDepth());
    unanswered = new ArrayDeque<>(spec.sendDepth());
  }

  @Override
  public PortQueues queues() {
    return queues;
  }

  // ---- the application's threads -------------------------------------------------------------

  @Override
  public void postSend(Descriptor descriptor) {
    sends.add(descriptor);
    if (sendsEnded == null && toSend.offer(descriptor)) {
      loop.wake(this);
    }
  }

  @Override
  public void postReceive(Descriptor descriptor) {
    receives.add(descriptor);
    if (receivesEnded == null && toReceive.offer(descriptor)) {
      loop.wake(this);
    }
  }

  @Override
  public @Nullable Descriptor pollSend() {
    String end = sendsEnded; // before the count: what was done before the end counts
    if ((int) SENDS_DONE.getAcquire(this) != sendsTaken) {
      sendsTaken++;
      return sends.take(null);
    }
    return end == null ? null : sends.take(end);
  }

  @Override
  public @Nullable Descriptor pollReceive() {
    String end = receivesEnded;
    if ((int) RECEIVES_DONE.getAcquire(this) != receivesTaken) {
      receivesTaken++;
      return receives.take(null);
    }
    return end == null ? null : receives.take(end);
  }

  @Override
  public long arm(Thread sleeper, boolean atSends) {
    queues.sleeps(sleeper, atSends);
    return NAP_NANOS;
  }

  @Override
  public @Nullable String failure() {
    return failure;
  }

  @Override
  public void fail(String why) {
    leave(why, Frame.FAILED);
  }

  @Override
  public void end() {
    leave("this side closed the connection", Frame.CLOSED);
  }

  private void leave(String why, int how) {
    if (note(why)) {
      boolean _ = loop.order(() -> leaveInside(how)); // a loop that has stopped has ended all
    }
  }

  private synchronized boolean note(String why) {
    if (failure != null) {
      return false;
    }
    failure = why;
    return true;
  }

  @Override
  public void close() {
    end();
  }

  // ---- the loop: sending ---------------------------------------------------------------------

  /// Something was posted.
  @Override
  void run() {
    if (waits()) {
      int _ = take(MemorySegment.NULL, 0, 0); // an empty message has no bytes that would come
    }
    connection.resume();
    connection.pump();
  }

  @Override
  public int fill(MemorySegment memory) {
    int at = 0;
    if (verdict != 0) {
      at = Frame.answer(memory, verdict, spec.transferBytes());
      verdict = 0;
    }
    if (takenDue > 0 && farewell != Frame.FAILED) {
      Frame.head(memory, at, Frame.TAKEN, takenDue);
      takenDue = 0;
      at += Frame.HEAD_BYTES;
    }
    while (sendsEnded == null && memory.byteSize() - at > Frame.HEAD_BYTES) {
      Descriptor next = sending;
      if (next == null) {
        next = toSend.poll();
        if (next == null) {
          return at;
        }
        Frame.head(memory, at, Frame.MESSAGE, next.lengthBytes());
        at += Frame.HEAD_BYTES;
        sending = next;
      }
      int left = next.lengthBytes() - next.transferredBytes();
      int count = (int) Math.min(left, memory.byteSize() - at);
      next.copyOut(memory, at, count);
      at += count;
      if (count == left) {
        (spec.acknowledged() ? unanswered : leaving).add(next);
        sending = null;
      }
    }
    if (sendsEnded != null && farewell != 0 && at + Frame.HEAD_BYTES <= memory.byteSize()) {
      Frame.head(memory, at, farewell, 0);
      farewell = 0;
      at += Frame.HEAD_BYTES;
    }
    return at;
  }

  @Override
  public void flushed() {
    if (sendsEnded == null && !leaving.isEmpty()) {
      finish(leaving, leaving.size());
    }
  }

  private void finish(ArrayDeque<Descriptor> done, int count) {
    for (int i = 0; i < count; i++) {
      done.remove().finish();
    }
    SENDS_DONE.setVolatile(this, sendsDone + count);
    queues.unparkSender();
  }

  // ---- the loop: receiving -------------------------------------------------------------------

  @Override
  public int take(MemorySegment from, long offset, int length) {
    int used = 0;
    while (receivesEnded == null) {
      if (messageBytes < 0) {
        while (headBytes < Frame.HEAD_BYTES && used < length) {
          head = head << 8 | (from.get(JAVA_BYTE, offset + used) & 0xff);
          headBytes++;
          used++;
        }
        if (headBytes < Frame.HEAD_BYTES) {
          return used;
        }
        headBytes = 0;
        heard(Frame.kind(head), Frame.number(head));
      } else if (!discarding && !hasRoom()) {
        if (receivesEnded == null) {
          return used;
        }
      } else {
        int count = Math.min(length - used, messageBytes - arrivedBytes);
        Descriptor into = receiving;
        if (into != null) {
          into.copyIn(from, offset + used, count);
        }
        used += count;
        arrivedBytes += count;
        if (arrivedBytes < messageBytes) {
          return used;
        }
        complete();
      }
    }
    return length; // of no use to any receive
  }

  @Override
  public boolean waits() {
    return messageBytes == 0 && receivesEnded == null;
  }

  private void heard(int kind, int number) {
    if (peerEnd != null) {
      breakOff("the peer sent after its end");
    } else if (kind == Frame.MESSAGE && number >= 0 && number <= spec.transferBytes()) {
      messageBytes = number;
      arrivedBytes = 0;
    } else if (kind == Frame.TAKEN && number > 0 && number <= unanswered.size()) {
      finish(unanswered, number);
    } else if (kind == Frame.CLOSED && number == 0) {
      peerEnd = "the peer closed the connection";
      endSends(peerEnd);
    } else if (kind == Frame.FAILED && number == 0) {
      peerEnd = "the peer's end of the connection failed";
      endSends(peerEnd);
    } else {
      breakOff("the peer broke the protocol: kind " + kind + ", number " + number);
    }
  }

  /// Whether the message has a receive to go to; it may be too long for it.
  private boolean hasRoom() {
    if (receiving == null) {
      receiving = toReceive.poll();
      if (receiving == null) {
        discarding = spec.discards();
        return discarding;
      }
      if (messageBytes > receiving.lengthBytes()) {
        breakOff(
            "a message of "
                + messageBytes
                + " bytes met a receive of "
                + receiving.lengthBytes()
                + " bytes");
        return false;
      }
    }
    return true;
  }

  private void complete() {
    messageBytes = -1;
    discarding = false;
    Descriptor done = receiving;
    receiving = null;
    if (done != null) {
      done.finish();
      RECEIVES_DONE.setVolatile(this, receivesDone + 1);
      queues.unparkReceiver();
      if (spec.acknowledged()) {
        takenDue++;
        connection.pump();
      }
    }
  }

  // ---- the loop: the end ---------------------------------------------------------------------

  private void breakOff(String why) {
    boolean _ = note(why);
    leaveInside(Frame.FAILED);
  }

  private void leaveInside(int how) {
    if (sendsEnded == null && sending == null) {
      farewell = how; // in the middle of a message there is no place for it
    }
    String why = String.valueOf(failure);
    endSends(why);
    endReceives(why);
    connection.close();
  }

  private void endSends(String why) {
    if (sendsEnded == null) {
      sending = null;
      leaving.clear();
      unanswered.clear();
      sendsEnded = why;
    }
    queues.unparkSender();
  }

  private void endReceives(String why) {
    if (receivesEnded == null) {
      receiving = null;
      receivesEnded = why;
    }
    queues.unparkReceiver();
  }

  @Override
  public void lost(String why) {
    endSends(peerEnd == null ? why : peerEnd);
  }

  @Override
  public void ended(String why) {
    String end = peerEnd == null ? why : peerEnd;
    boolean _ = note(end);
    endSends(end);
    endReceives(end);
  }

  @Override
  public void stopped() {
    boolean _ = note("the device was closed");
    leaveInside(Frame.CLOSED);
  }
}
