package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static sluice.vi.local.RingLayout.INT;
import static sluice.vi.local.RingLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import sluice.sys.Membarrier;
import sluice.vi.device.Descriptor;

/// The sending end of one direction. Owned by the thread that currently uses the send queue.
///
/// The receiver's fields (`consumed`, `posted`) are checked. `consumed` must never decrease and
/// must never exceeds the number of sent fragments. A contradiction is a [RingViolation], which
/// fails the connection.
final class SendRing {
  private final MemorySegment shared;
  private final int ringBytes;
  private final int fragmentBytes;
  private final DataCursor cursor;

  /// The position in the byte ring after each fragment that may still be in it.
  private final long[] dataEnds = new long[RingLayout.SLOTS];

  private long sent;
  private long messages;
  private long consumed;
  private long freed;

  SendRing(MemorySegment direction, int ringBytes) {
    shared = direction;
    this.ringBytes = ringBytes;
    fragmentBytes = RingLayout.fragmentBytes(ringBytes);
    cursor = new DataCursor(ringBytes);
  }

  /// Returns the number of the last fragment sent.
  long sent() {
    return sent;
  }

  /// Returns true if the receiver has announced a receive for the next message.
  boolean isExpected() {
    return (long) LONG.getAcquire(shared, (long) RingLayout.POSTED) - messages > 0;
  }

  /// Stores as much of a message in the ring as fits.
  ///
  /// @return true if the whole message has been stored
  boolean send(Descriptor message) throws RingViolation {
    int total = message.lengthBytes();
    do {
      int length = Math.min(total - message.transferredBytes(), fragmentBytes);
      if (!hasRoom(length)) {
        return false;
      }
      put(message, length, total);
    } while (message.transferredBytes() < total);
    messages++;
    return true;
  }

  private void put(Descriptor message, int length, int total) {
    long number = sent + 1;
    long slot = RingLayout.slot(number);
    if (length <= RingLayout.INLINE_BYTES) {
      message.copyOut(shared, slot + RingLayout.BYTES, length);
    } else {
      message.copyOut(shared, RingLayout.DATA_AT + (long) cursor.take(length), length);
    }
    shared.set(JAVA_INT, slot + RingLayout.FRAGMENT, length);
    shared.set(JAVA_INT, slot + RingLayout.MESSAGE, total);
    dataEnds[(int) sent & RingLayout.SLOT_MASK] = cursor.position();
    sent = number;
    LONG.setRelease(shared, slot + RingLayout.SEQUENCE, number);
  }

  private boolean hasRoom(int length) throws RingViolation {
    if (fits(length)) {
      return true;
    }
    long _ = consumed();
    return fits(length);
  }

  private boolean fits(int length) {
    if (sent - consumed >= RingLayout.SLOTS) {
      return false;
    }
    return length <= RingLayout.INLINE_BYTES || cursor.next(length) + length - freed <= ringBytes;
  }

  /// Returns the number of fragments that the receiver has consumed.
  long consumed() throws RingViolation {
    long now = (long) LONG.getAcquire(shared, (long) RingLayout.CONSUMED);
    if (now != consumed) {
      if (now < consumed || now > sent) {
        throw new RingViolation("the peer says that it received fragment " + now + " of " + sent);
      }
      consumed = now;
      freed = dataEnds[(int) (now - 1) & RingLayout.SLOT_MASK];
    }
    return consumed;
  }

  /// Returns true if the receiver is asleep, and marks it as awake.
  ///
  /// Sent data must be visible before the flag is read. The required barrier is executed by the
  /// sleeping side between setting the flag and checking the ring for the last time
  /// ([ReceiveRing#sleep]). A full barrier in this method would have to wait for the slot's cache
  /// line from the receiver for each message.
  boolean wakes() {
    if (Membarrier.REGISTERED) {
      VarHandle.releaseFence(); // no instruction: the compiler keeps the order
    } else {
      VarHandle.fullFence();
    }
    if ((int) INT.getVolatile(shared, (long) RingLayout.ASLEEP) == 0) {
      return false;
    }
    INT.setVolatile(shared, (long) RingLayout.ASLEEP, 0);
    return true;
  }
}
