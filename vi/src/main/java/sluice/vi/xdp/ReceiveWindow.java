package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.PortSpec;

/// The receiving half of a connection. Of the device's thread.
///
/// Only the fragment that is next in order is taken; the peer sends all behind it again. It goes
/// into the posted buffer, or, while none is posted, into the stash: slots of one fragment each.
/// The peer may send as many fragments as there are free slots, so a message waits here and not in
/// the network. Without reliability there is no stash: a message that lacks a fragment or a receive
/// is lost.
///
/// ```
///                         ┌── a receive is posted and the stash is empty ──▶ buffer
///  fragment `expected` ───┤                                                    ▲
///                         └── else ──▶ stash ── when a receive is posted ──────┘
/// ```
final class ReceiveWindow {
  /// Most fragments that may be under way in one direction.
  static final int MOST_SLOTS = 128;

  private static final int LEAST_SLOTS = 8;
  private static final Account ACCOUNT = new Account("messages of VIs over datagrams", 512L << 20);

  /// Says what became of a fragment.
  enum Outcome {
    /// It is in a buffer or in the stash.
    TAKEN,
    /// It completed the message in a buffer.
    COMPLETED,
    /// It came before, or one before it is missing, or there is no receive: it is forgotten.
    DROPPED,
    /// It cannot be: [#broken] says why.
    BROKEN
  }

  private final boolean reliable;
  private final boolean acknowledged;
  private final int transferBytes;
  private final int fragmentBytes;
  private final int slots;
  private final Supplier<@Nullable Descriptor> posted;
  private final int[] stashedMessage;
  private final int[] stashedBytes;
  private @Nullable Block stash;

  /// Numbers of fragments, which wrap; slots in use are those of `[first, expected)`.
  private int first;

  private int expected;

  /// Of the message that arrives: how much of how much; -1 between two messages.
  private int arrivingBytes = -1;

  private int arrivedBytes;

  /// Of the message that goes into a buffer: bytes that are to come; -1 between two messages.
  private int leftBytes = -1;

  private @Nullable Descriptor receiving;
  private int taken;
  private boolean misses;
  private int toldExpected;
  private int toldLimit;
  private int toldTaken;
  private Failure broken = Failure.lost("");

  /// @param spec `ringBytes` is the room of the stash
  /// @param posted gives the next receive that was posted, or null
  ReceiveWindow(PortSpec spec, int fragmentBytes, Supplier<@Nullable Descriptor> posted) {
    reliable = !spec.discards();
    acknowledged = spec.acknowledged();
    transferBytes = spec.transferBytes();
    this.fragmentBytes = fragmentBytes;
    this.posted = posted;
    slots = slots(spec, fragmentBytes);
    toldLimit = slots;
    stashedMessage = new int[reliable ? slots : 0];
    stashedBytes = new int[reliable ? slots : 0];
  }

  /// Fragments that a peer may send at first, a power of two.
  static int slots(PortSpec spec, int fragmentBytes) {
    int fit = Math.clamp(spec.ringBytes() / fragmentBytes, LEAST_SLOTS, MOST_SLOTS);
    return Integer.highestOneBit(fit);
  }

  // ---- what the peer is told -----------------------------------------------------------------

  /// Fragments that have come, all of them below this number.
  int expected() {
    return expected;
  }

  /// Returns the number below which there is room.
  int limit() {
    return first + slots;
  }

  /// Messages that are in buffers.
  int taken() {
    return taken;
  }

  /// Notes that the peer is told of all this.
  void told() {
    toldExpected = expected;
    toldLimit = limit();
    toldTaken = taken;
  }

  /// Returns whether the peer is to be told though it waits for nothing: of a quarter of the
  /// window.
  boolean isNews() {
    return expected - toldExpected >= slots / 4 || limit() - toldLimit >= slots / 4;
  }

  /// Returns whether the peer may wait for what it was not told: that there is room, or that a
  /// message is in its buffer.
  boolean isNarrow() {
    return toldLimit - expected < slots / 4 || (acknowledged && toldTaken != taken);
  }

  /// Returns whether a fragment came before the expected one, since the last call.
  boolean misses() {
    boolean was = misses;
    misses = false;
    return was;
  }

  /// Returns why an outcome was [Outcome#BROKEN].
  Failure broken() {
    return broken;
  }

  /// Returns whether messages, or parts of one, wait for receives.
  boolean holds() {
    return first != expected;
  }

  // ---- fragments -----------------------------------------------------------------------------

  /// Takes a fragment that has come.
  Outcome take(MemorySegment datagram, int length) {
    int sequence = Datagram.sequence(datagram);
    int message = Datagram.messageBytes(datagram);
    int offset = Datagram.offset(datagram);
    int count = length - Datagram.HEAD_BYTES;
    boolean sound =
        message >= 0
            && message <= transferBytes
            && offset >= 0
            && offset <= message
            && offset % fragmentBytes == 0
            && count == Math.min(fragmentBytes, message - offset)
            && (offset < message || message == 0);
    if (!sound) {
      return contradiction("a fragment of " + count + " bytes at " + offset + " of " + message);
    }
    return reliable
        ? takeReliably(datagram, sequence, message, offset, count)
        : takeIfWhole(datagram, sequence, message, offset, count);
  }

  private Outcome contradiction(String what) {
    return breakOff(Failure.lost("the peer broke the protocol: " + what));
  }

  private Outcome breakOff(Failure why) {
    broken = why;
    return Outcome.BROKEN;
  }

  private Outcome takeReliably(
      MemorySegment datagram, int sequence, int message, int offset, int count) {
    misses |= sequence - expected > 0;
    if (sequence != expected || expected - first == slots) {
      return Outcome.DROPPED;
    }
    boolean follows =
        arrivingBytes < 0 ? offset == 0 : message == arrivingBytes && offset == arrivedBytes;
    if (!follows) {
      return contradiction("a fragment at " + offset + " of another message");
    }
    Outcome outcome = Outcome.TAKEN;
    if (first == expected) {
      outcome = deliver(datagram, Datagram.HEAD_BYTES, message, count);
    }
    if (outcome == Outcome.DROPPED || first != expected) {
      if (!keep(datagram, message, count)) {
        return Outcome.DROPPED;
      }
      outcome = Outcome.TAKEN;
    } else {
      first++; // also where it met a receive that is too small: it has come, and the peer is told
    }
    expected++;
    misses = false;
    arrivedBytes = offset + count;
    arrivingBytes = arrivedBytes == message ? -1 : message;
    return outcome;
  }

  private boolean keep(MemorySegment datagram, int message, int count) {
    Block room = stash;
    if (room == null) {
      room = Block.allocate(ACCOUNT, (long) slots * fragmentBytes);
      if (room == null) {
        return false; // the peer sends it again, when there may be memory
      }
      stash = room;
    }
    int slot = expected & (slots - 1);
    stashedMessage[slot] = message;
    stashedBytes[slot] = count;
    MemorySegment.copy(
        datagram, Datagram.HEAD_BYTES, room.segment(), (long) slot * fragmentBytes, count);
    return true;
  }

  /// Puts the oldest fragment of the stash into a buffer.
  ///
  /// @return [Outcome#DROPPED] when there is none, or no receive
  Outcome deliverStashed() {
    Block room = stash;
    if (first == expected || room == null) {
      return Outcome.DROPPED;
    }
    int slot = first & (slots - 1);
    Outcome outcome =
        deliver(
            room.segment(), (long) slot * fragmentBytes, stashedMessage[slot], stashedBytes[slot]);
    if (outcome == Outcome.TAKEN || outcome == Outcome.COMPLETED) {
      first++;
    }
    return outcome;
  }

  private Outcome deliver(MemorySegment from, long at, int message, int count) {
    Descriptor into = receiving;
    if (into == null) {
      into = posted.get();
      if (into == null) {
        return Outcome.DROPPED;
      }
      receiving = into;
    }
    if (leftBytes < 0) {
      if (message > into.lengthBytes()) {
        return breakOff(Failure.tooLong(message, into.lengthBytes()));
      }
      leftBytes = message;
    }
    into.copyIn(from, at, count);
    leftBytes -= count;
    if (leftBytes > 0) {
      return Outcome.TAKEN;
    }
    leftBytes = -1;
    receiving = null;
    into.finish();
    taken++;
    return Outcome.COMPLETED;
  }

  // ---- without reliability -------------------------------------------------------------------

  private Outcome takeIfWhole(
      MemorySegment datagram, int sequence, int message, int offset, int count) {
    int ahead = sequence - expected;
    if (ahead < 0) {
      return Outcome.DROPPED;
    }
    boolean follows =
        ahead == 0 && leftBytes >= 0 && message == arrivingBytes && offset == arrivedBytes;
    expected = sequence + 1;
    first = expected;
    if (!follows) {
      forgetPart();
      if (offset != 0) {
        return Outcome.DROPPED;
      }
    }
    Outcome outcome = deliver(datagram, Datagram.HEAD_BYTES, message, count);
    arrivingBytes = message;
    arrivedBytes = offset + count;
    return outcome;
  }

  /// Forgets the part of a message that a receive has: the receive waits for another message.
  private void forgetPart() {
    Descriptor part = receiving;
    if (part != null) {
      part.seek(0);
    }
    leftBytes = -1;
  }

  // ---- the end -------------------------------------------------------------------------------

  /// Forgets the receive in part, which is no longer the device's, and gives memory back.
  void drop() {
    receiving = null;
    first = expected;
    Block room = stash;
    stash = null;
    if (room != null) {
      room.release();
    }
  }
}
