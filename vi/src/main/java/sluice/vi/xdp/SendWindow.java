package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.PortSpec;

/// The sending half of a connection: go-back-N (Tanenbaum, *Computer Networks*, 3.4.2) over
/// fragments that are numbered from 0. Of the device's thread.
///
/// ```
///  messages    head ─▶ │ sent, not done │ cursor ─▶ in part │ tail ─▶ not yet posted
///  fragments   una ─▶  │ not answered   │ next ─▶ may go    │ min(limit, una + window)
///                                         highest ─▶ those below were sent once at least
/// ```
///
/// The bytes stay in the posted buffers: a fragment that is sent again is copied out of them again.
/// The peer says how far it has all (`ack`), how far it has room (`limit`), and how many messages
/// are in buffers (`taken`). The window halves when something was lost and grows by one for each
/// window that arrived (as RFC 5681 in congestion avoidance); the time to wait for an answer is
/// that of RFC 6298. Without reliability there is none of this: a fragment is sent once, and its
/// message is done with its last.
final class SendWindow {
  /// [#heard] was told what cannot be.
  static final int CONTRADICTION = -1;

  static final long LEAST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final boolean reliable;
  private final boolean acknowledged;
  private final int fragmentBytes;
  private final Supplier<@Nullable Descriptor> posted;
  private final @Nullable Descriptor[] messages;

  /// Counts of messages, which wrap.
  private int head;

  private int cursor;
  private int tail;
  private int taken;

  /// Numbers of fragments, which wrap.
  private int una;

  private int next;
  private int highest;
  private int limit;

  private boolean progressed;

  /// After a loss: fragments below it were on their way then.
  private int recovery;

  private int window = ReceiveWindow.MOST_SLOTS;
  private int grown;
  private boolean timing;
  private int timedNumber;
  private long timedAt;
  private long roundTrip = -1;
  private long variation;
  private long wait = FIRST_WAIT_NANOS;

  /// @param limit fragments that the peer has room for
  /// @param posted gives the next descriptor that was posted, or null
  SendWindow(PortSpec spec, int fragmentBytes, int limit, Supplier<@Nullable Descriptor> posted) {
    reliable = !spec.discards();
    acknowledged = spec.acknowledged();
    this.fragmentBytes = fragmentBytes;
    this.limit = limit;
    this.posted = posted;
    messages = new Descriptor[Integer.highestOneBit(spec.sendDepth() * 2 - 1)];
  }

  private int slot(int message) {
    return message & (messages.length - 1);
  }

  private Descriptor message(int number) {
    Descriptor found = messages[slot(number)];
    if (found == null) {
      throw new IllegalStateException("no message " + number);
    }
    return found;
  }

  /// Returns the number behind the last fragment of a message.
  private int end(Descriptor message) {
    int fragments = Math.ceilDiv(message.lengthBytes(), fragmentBytes);
    return (int) message.mark() + Math.max(1, fragments);
  }

  // ---- sending -------------------------------------------------------------------------------

  /// Puts the next fragment into a datagram.
  ///
  /// @return its length; 0 when none may be sent now
  int fill(MemorySegment datagram, long now) {
    if (!hasMore()) {
      return 0;
    }
    Descriptor message = message(cursor);
    int offset = (next - (int) message.mark()) * fragmentBytes;
    int count = Math.min(fragmentBytes, message.lengthBytes() - offset);
    message.seek(offset);
    message.copyOut(datagram, Datagram.HEAD_BYTES, count);
    Datagram.fragment(datagram, next, message.lengthBytes(), offset);
    next++;
    if (next == end(message)) {
      cursor++;
    }
    if (next - highest > 0) {
      highest = next;
      if (!timing) {
        timing = true;
        timedNumber = next;
        timedAt = now;
      }
    }
    return Datagram.HEAD_BYTES + count;
  }

  /// Returns whether a fragment may be sent now.
  boolean hasMore() {
    if (reliable && next - Math.min(limit - una, window) - una >= 0) {
      return false;
    }
    if (cursor == tail) {
      Descriptor more = posted.get();
      if (more == null) {
        return false;
      }
      more.mark(next);
      messages[slot(tail++)] = more;
    }
    return true;
  }

  /// Returns the number of the next fragment.
  int next() {
    return next;
  }

  /// Messages that are done because their last fragment was sent, where nothing is answered; each
  /// is counted once.
  int sentAll() {
    return reliable ? 0 : finish(cursor - head);
  }

  private int finish(int count) {
    for (int i = 0; i < count; i++) {
      Descriptor done = message(head);
      messages[slot(head++)] = null;
      done.finish(done.lengthBytes());
    }
    return count;
  }

  /// Returns whether something waits for the peer: an answer, room, or that a message is taken.
  boolean waits() {
    return reliable && head != tail;
  }

  /// Returns whether the peer's answers since the last call have changed anything.
  boolean progressed() {
    boolean was = progressed;
    progressed = false;
    return was;
  }

  /// Returns how long to wait for the peer before asking again, without what is added for repeated
  /// questions.
  long waitNanos() {
    return wait;
  }

  /// Notes that the peer has not answered in time.
  ///
  /// @return whether there are fragments to send again
  boolean timedOut() {
    if (!reliable || una == highest) {
      return false;
    }
    goBack();
    return true;
  }

  private void goBack() {
    timing = false; // an answer would not tell which of the two it is for (Karn)
    recovery = highest;
    window = Math.max(2, window / 2);
    from(una);
  }

  /// Goes on with a fragment that was sent before, or is the next.
  private void from(int number) {
    next = number;
    cursor = head;
    while (cursor != tail && number - end(message(cursor)) >= 0) {
      cursor++;
    }
  }

  // ---- answers -------------------------------------------------------------------------------

  /// Takes in how far the peer says that it is.
  ///
  /// @param misses whether it has later fragments than that: they are sent again, once
  /// @return messages that are done now, or [#CONTRADICTION]
  int heard(int ack, int room, int inBuffers, boolean misses, long now) {
    if (!reliable) {
      return 0;
    }
    int advance = ack - una;
    int space = room - ack;
    if (advance < 0) {
      return 0; // an old answer that was overtaken
    }
    if (ack - highest > 0 || space < 0 || space > ReceiveWindow.MOST_SLOTS) {
      return CONTRADICTION;
    }
    boolean moreRoom = room - limit > 0;
    limit = moreRoom ? room : limit;
    progressed |= moreRoom || advance > 0;
    if (advance > 0) {
      advanced(ack, advance, now);
    }
    if (misses && una != highest && una - recovery >= 0) {
      goBack();
    }
    return finished(inBuffers);
  }

  private void advanced(int ack, int fragments, long now) {
    una = ack;
    if (next - una < 0) {
      from(una); // what went before the loss was noticed has arrived after all
    }
    if (timing && una - timedNumber >= 0) {
      timing = false;
      measured(now - timedAt);
    }
    grown += fragments;
    if (grown >= window) {
      grown = 0;
      window = Math.min(ReceiveWindow.MOST_SLOTS, window + 1);
    }
  }

  private void measured(long nanos) {
    if (roundTrip < 0) {
      roundTrip = nanos;
      variation = nanos / 2;
    } else {
      variation += (Math.abs(roundTrip - nanos) - variation) / 4;
      roundTrip += (nanos - roundTrip) / 8;
    }
    wait = Math.clamp(roundTrip + 4 * variation, LEAST_WAIT_NANOS, MOST_WAIT_NANOS);
  }

  private int finished(int inBuffers) {
    int count = 0;
    while (head + count != tail && una - end(message(head + count)) >= 0) {
      count++;
    }
    if (!acknowledged) {
      return finish(count);
    }
    int more = inBuffers - taken;
    if (more <= 0) {
      return 0;
    }
    if (more > count) {
      return CONTRADICTION; // in a buffer before it has come
    }
    taken = inBuffers;
    progressed = true;
    return finish(more);
  }

  /// Forgets all messages, which are no longer the device's.
  void drop() {
    Arrays.fill(messages, null);
    head = tail;
    cursor = tail;
    una = highest;
  }
}
