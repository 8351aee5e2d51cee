package sluice.vi.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.HandedPort;
import sluice.vi.device.PortSpec;

/// One end of a VI over TCP. The loop's thread copies bytes between the posted buffers and the
/// connection, so the kernel never accesses a buffer. The fields are owned by the loop's thread.
final class RingPort extends HandedPort implements RingConnection.User {
  private final RingLoop loop;
  private final RingConnection connection;
  private final PortSpec spec;

  /// The task that notifies the loop of posted descriptors.
  private final RingLoop.Task posted =
      new RingLoop.Task() {
        @Override
        void run() {
          lookAtPosted();
        }
      };

  /// The messages that have been copied but not yet sent, in order. If the peer acknowledges
  /// messages, these are followed by messages that wait for their acknowledgement, which may arrive
  /// before the engine reports that they were sent.
  private final ArrayDeque<Descriptor> leaving;

  private final ArrayDeque<Descriptor> unanswered;
  private @Nullable Descriptor sending;
  private @Nullable Descriptor receiving;
  private int verdict;
  private int takenDue;
  private int farewell;
  private long head;
  private int headBytes;

  /// The length of the message that is being received, or -1 before its header, and the number of
  /// its bytes that have arrived.
  private int messageBytes = -1;

  private int arrivedBytes;
  private boolean discarding;
  private @Nullable Failure peerEnd;

  /// @param answers true if the peer must first be notified that it has been accepted
  RingPort(RingLoop loop, RingConnection connection, PortSpec spec, boolean answers) {
    super(spec);
    this.loop = loop;
    this.connection = connection;
    this.spec = spec;
    verdict = answers ? Frame.ACCEPTED : 0;
    leaving = new ArrayDeque<>(spec.sendDepth());
    unanswered = new ArrayDeque<>(spec.sendDepth());
  }

  @Override
  protected void posted() {
    loop.wake(posted);
  }

  @Override
  protected void left() {
    // If the loop has terminated, it has already ended all ports.
    boolean _ = loop.order(() -> leaveInside(Frame.CLOSED, noted(Failure.CLOSED)));
  }

  // ---- the loop: sending ---------------------------------------------------------------------

  private void lookAtPosted() {
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
    while (!sendsEnded() && memory.byteSize() - at > Frame.HEAD_BYTES) {
      Descriptor next = sending;
      if (next == null) {
        next = nextSend();
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
    if (sendsEnded() && farewell != 0 && at + Frame.HEAD_BYTES <= memory.byteSize()) {
      Frame.head(memory, at, farewell, 0);
      farewell = 0;
      at += Frame.HEAD_BYTES;
    }
    return at;
  }

  @Override
  public void flushed() {
    if (!sendsEnded() && !leaving.isEmpty()) {
      finish(leaving, leaving.size());
    }
  }

  private void finish(ArrayDeque<Descriptor> done, int count) {
    for (int i = 0; i < count; i++) {
      done.remove().finish();
    }
    sendsDone(count);
    wakeSleepers();
  }

  // ---- the loop: receiving -------------------------------------------------------------------

  @Override
  public int take(MemorySegment from, long offset, int length) {
    int used = 0;
    while (!receivesEnded()) {
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
        if (!receivesEnded()) {
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
    return messageBytes == 0 && !receivesEnded();
  }

  private void heard(int kind, int number) {
    if (peerEnd != null) {
      breakOff(Failure.lost("the peer sent after its end"));
    } else if (kind == Frame.MESSAGE && number >= 0 && number <= spec.transferBytes()) {
      messageBytes = number;
      arrivedBytes = 0;
    } else if (kind == Frame.TAKEN && number > 0 && number <= unanswered.size()) {
      finish(unanswered, number);
    } else if (kind == Frame.CLOSED && number == 0) {
      peerEnd = Failure.PEER_CLOSED;
      dropSends(peerEnd);
    } else if (kind == Frame.FAILED && number == 0) {
      peerEnd = Failure.PEER_FAILED;
      dropSends(peerEnd);
    } else {
      breakOff(Failure.lost("the peer broke the protocol: kind " + kind + ", number " + number));
    }
  }

  /// Returns true if a receive is posted for the message. If the message is too long for it, the
  /// connection is aborted.
  private boolean hasRoom() {
    if (receiving == null) {
      receiving = nextReceive();
      if (receiving == null) {
        discarding = spec.discards();
        return discarding;
      }
      if (messageBytes > receiving.lengthBytes()) {
        breakOff(Failure.tooLong(messageBytes, receiving.lengthBytes()));
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
      receiveDone();
      wakeSleepers();
      if (spec.acknowledged()) {
        takenDue++;
        connection.pump();
      }
    }
  }

  // ---- the loop: the end ---------------------------------------------------------------------

  private void breakOff(Failure why) {
    leaveInside(Frame.FAILED, noted(why));
  }

  private void leaveInside(int how, Failure why) {
    if (!sendsEnded() && sending == null) {
      farewell = how; // in the middle of a message there is no place for it
    }
    dropSends(why);
    dropReceives(why);
    connection.close();
  }

  private void dropSends(Failure why) {
    if (!sendsEnded()) {
      sending = null;
      leaving.clear();
      unanswered.clear();
    }
    endSends(why);
  }

  private void dropReceives(Failure why) {
    receiving = null;
    endReceives(why);
  }

  @Override
  public void lost(Failure why) {
    dropSends(peerEnd == null ? why : peerEnd);
  }

  @Override
  public void ended(Failure why) {
    Failure end = noted(peerEnd == null ? why : peerEnd);
    dropSends(end);
    dropReceives(end);
  }

  @Override
  public void stopped() {
    leaveInside(Frame.CLOSED, noted(Failure.DEVICE_CLOSED));
  }
}
