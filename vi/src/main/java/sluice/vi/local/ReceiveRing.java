package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static sluice.vi.local.RingLayout.INT;
import static sluice.vi.local.RingLayout.LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.Membarrier;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;

/// The receiving end of one direction. Owned by the thread that currently uses the receive queue.
/// Any thread may call [#sleep].
///
/// Since the contents of the ring are written by the peer, which may be hostile, each value is read
/// once, checked, and used from a local variable. A contradiction is a [RingViolation].
final class ReceiveRing {
  private final MemorySegment shared;
  private final int transferBytes;
  private final int fragmentBytes;
  private final DataCursor cursor;
  private long received;
  private long published;
  private long posted;

  /// The length of the message that has partially arrived, or -1 if there is none, and the number
  /// of its bytes that have arrived.
  private int messageBytes = -1;

  private int arrivedBytes;

  /// @param transferBytes the maximum message length
  ReceiveRing(MemorySegment direction, int ringBytes, int transferBytes) {
    shared = direction;
    this.transferBytes = transferBytes;
    fragmentBytes = RingLayout.fragmentBytes(ringBytes);
    cursor = new DataCursor(ringBytes);
  }

  /// Notifies the sender that one more receive has been posted.
  void announceReceive() {
    LONG.setRelease(shared, (long) RingLayout.POSTED, ++posted);
  }

  /// Returns true if there is no new fragment, because the next slot is unchanged since the last
  /// lap.
  boolean isQuiet() {
    long next = received + 1;
    return sequence(next) == lapAgo(next);
  }

  /// Returns true if there is a new fragment.
  boolean isReady() throws RingViolation {
    long next = received + 1;
    long sequence = sequence(next);
    if (sequence == next) {
      return true;
    }
    if (sequence != lapAgo(next)) {
      throw new RingViolation("slot " + next + " says that it holds fragment " + sequence);
    }
    return false;
  }

  private long sequence(long number) {
    return (long) LONG.getAcquire(shared, RingLayout.slot(number) + RingLayout.SEQUENCE);
  }

  /// Returns the previous content of a slot, which is 0 before the first lap.
  private static long lapAgo(long number) {
    return Math.max(0, number - RingLayout.SLOTS);
  }

  /// Returns the number of fragments that have been received but are still considered pending by
  /// the sender.
  int unpublished() {
    return (int) (received - published);
  }

  /// Notifies the sender of the fragments that have been received, which frees their space.
  void publish() {
    published = received;
    LONG.setRelease(shared, (long) RingLayout.CONSUMED, received);
  }

  /// Receives the fragment that was found by [#isReady].
  ///
  /// @param into the descriptor for the message
  /// @return true if the message is complete
  boolean receive(Descriptor into) throws RingViolation {
    long number = received + 1;
    long slot = RingLayout.slot(number);
    int length = shared.get(JAVA_INT, slot + RingLayout.FRAGMENT);
    int total = shared.get(JAVA_INT, slot + RingLayout.MESSAGE);
    check(length, total);
    messageBytes = total;
    if (total > into.lengthBytes()) {
      throw new RingViolation(Failure.tooLong(total, into.lengthBytes()));
    }
    if (length <= RingLayout.INLINE_BYTES) {
      into.copyIn(shared, slot + RingLayout.BYTES, length);
    } else {
      into.copyIn(shared, RingLayout.DATA_AT + (long) cursor.take(length), length);
    }
    arrivedBytes += length;
    received = number;
    boolean complete = arrivedBytes == total;
    if (complete) {
      messageBytes = -1;
      arrivedBytes = 0;
    }
    return complete;
  }

  private void check(int length, int total) throws RingViolation {
    boolean begins = messageBytes < 0;
    if (total < 0
        || total > transferBytes
        || length < 0
        || length > fragmentBytes
        || length > total - arrivedBytes
        || (length == 0 && total != 0)
        || (!begins && total != messageBytes)) {
      throw new RingViolation(
          "a fragment of " + length + " bytes after " + arrivedBytes + " of " + total);
    }
  }

  /// Records if this side is asleep and must be woken by the sender.
  void sleep(boolean asleep) {
    INT.setVolatile(shared, (long) RingLayout.ASLEEP, asleep ? 1 : 0);
    if (asleep) {
      int _ = Membarrier.global(); // for the sender; where it is refused, the sender has a fence
    }
  }
}
