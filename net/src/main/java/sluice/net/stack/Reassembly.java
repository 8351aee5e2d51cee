package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.net.wire.Ipv4Header;

/// Reassembles packets from fragments (RFC 791), using the algorithm of RFC 815 with one bit per 8
/// bytes. Instances are owned by the stack's thread.
///
/// ```
///  context:  | payload, 64 KiB | 1 bit per 8 received bytes |
/// ```
///
/// A fragment that only repeats bytes which have already been received is ignored. A partial
/// overlap or a different end of the packet makes the whole packet invalid (RFC 1858, RFC 5722).
/// Further fragments of an invalid packet are dropped until it expires. A packet expires if it is
/// not complete 15 seconds after its first fragment was received. If there is no free context, the
/// oldest packet is evicted. If a sender uses a quarter of all contexts, the oldest packet of this
/// sender is evicted instead.
final class Reassembly {
  static final long LIFETIME_NANOS = 15_000_000_000L;

  /// The results of [#add] that are not a context.
  static final int KEPT = -1;

  static final int REFUSED = -2;

  private static final int PAYLOAD_BYTES = 1 << 16;
  private static final int MOST_PAYLOAD = 0xffff - Ipv4Header.BYTES;
  private static final int WORDS = PAYLOAD_BYTES / 8 / Long.SIZE;

  private enum State {
    FREE,
    COLLECTING,
    REFUSED
  }

  private final Block block;
  private final int contexts;
  private final State[] states;
  private final int[] sources;
  private final int[] targets;
  private final int[] idAndProtocol;
  private final long[] begun;
  private final int[] totals;
  private final int[] have;
  private final long[] present;
  private final StackCounters counters;

  Reassembly(int contexts, Account account, StackCounters counters) {
    Block made = Block.allocate(account, (long) contexts * PAYLOAD_BYTES);
    if (made == null) {
      throw new IllegalStateException("no room to put fragments together: " + account);
    }
    this.block = made;
    this.contexts = contexts;
    this.counters = counters;
    states = new State[contexts];
    Arrays.fill(states, State.FREE);
    sources = new int[contexts];
    targets = new int[contexts];
    idAndProtocol = new int[contexts];
    begun = new long[contexts];
    totals = new int[contexts];
    have = new int[contexts];
    present = new long[contexts * WORDS];
  }

  MemorySegment memory() {
    return block.segment();
  }

  long payloadAt(int context) {
    return (long) context * PAYLOAD_BYTES;
  }

  int payloadBytes(int context) {
    return totals[context];
  }

  /// Adds a fragment. Its header must have been validated.
  ///
  /// @param headerBytes the length of the header in bytes
  /// @return the context of a complete packet, which the caller must [#release], or otherwise
  ///   [#KEPT] or [#REFUSED]
  int add(MemorySegment frame, long at, int headerBytes, long now) {
    int offset = Ipv4Header.fragmentOffset(frame, at);
    int bytes = Ipv4Header.totalLength(frame, at) - headerBytes;
    boolean more = Ipv4Header.moreFragments(frame, at);
    counters.fragments++;
    int context = context(frame, at, now);
    if (states[context] == State.REFUSED) {
      counters.fragmentsRefused++;
      return REFUSED;
    }
    boolean wrong = bytes == 0 || (more && bytes % 8 != 0) || offset + bytes > MOST_PAYLOAD;
    if (wrong || contradictsEnd(context, offset + bytes, more)) {
      return refuse(context);
    }
    int blocks = (bytes + 7) / 8;
    int there = count(context, offset / 8, blocks);
    if (there == blocks) {
      return KEPT;
    }
    if (there != 0) {
      return refuse(context);
    }
    if (!more) {
      totals[context] = offset + bytes;
    }
    mark(context, offset / 8, blocks);
    MemorySegment.copy(
        frame, at + headerBytes, block.segment(), payloadAt(context) + offset, bytes);
    have[context] += bytes;
    if (have[context] != totals[context]) {
      return KEPT;
    }
    counters.reassembled++;
    return context;
  }

  private boolean contradictsEnd(int context, int end, boolean more) {
    int total = totals[context];
    if (total >= 0) {
      return more ? end >= total : end != total;
    }
    return !more && highest(context) > end;
  }

  /// Returns the end of the last byte that has been received, rounded up to a multiple of 8.
  private int highest(int context) {
    for (int word = WORDS - 1; word >= 0; word--) {
      long bits = present[context * WORDS + word];
      if (bits != 0) {
        return (word * Long.SIZE + Long.SIZE - Long.numberOfLeadingZeros(bits)) * 8;
      }
    }
    return 0;
  }

  private int refuse(int context) {
    states[context] = State.REFUSED;
    counters.fragmentsRefused++;
    return REFUSED;
  }

  private int count(int context, int first, int blocks) {
    int count = 0;
    for (int i = first; i < first + blocks; i++) {
      count += (int) (present[context * WORDS + (i >> 6)] >>> (i & 63) & 1);
    }
    return count;
  }

  private void mark(int context, int first, int blocks) {
    for (int i = first; i < first + blocks; i++) {
      present[context * WORDS + (i >> 6)] |= 1L << (i & 63);
    }
  }

  /// Finds the context of a fragment by its addresses, ID and protocol (RFC 791, section 3.2), or
  /// creates one.
  private int context(MemorySegment frame, long at, long now) {
    int source = Ipv4Header.source(frame, at);
    int target = Ipv4Header.destination(frame, at);
    int key = Ipv4Header.id(frame, at) << 8 | Ipv4Header.protocol(frame, at);
    int free = -1;
    int oldest = -1;
    int oldestOfSource = -1;
    int ofSource = 0;
    for (int i = 0; i < contexts; i++) {
      if (states[i] == State.FREE) {
        free = i;
      } else if (sources[i] == source) {
        if (idAndProtocol[i] == key && targets[i] == target) {
          return i;
        }
        ofSource++;
        oldestOfSource = older(oldestOfSource, i);
      }
      oldest = states[i] == State.FREE ? oldest : older(oldest, i);
    }
    int chosen = free;
    if (ofSource >= Math.max(1, contexts / 4)) {
      chosen = oldestOfSource;
    } else if (free < 0) {
      chosen = oldest;
    }
    if (states[chosen] == State.COLLECTING) {
      counters.reassembliesLost++;
    }
    begin(chosen, key, now);
    sources[chosen] = source;
    targets[chosen] = target;
    return chosen;
  }

  private int older(int one, int other) {
    return one < 0 || begun[other] - begun[one] < 0 ? other : one;
  }

  private void begin(int context, int key, long now) {
    states[context] = State.COLLECTING;
    idAndProtocol[context] = key;
    begun[context] = now;
    totals[context] = -1;
    have[context] = 0;
    Arrays.fill(present, context * WORDS, (context + 1) * WORDS, 0);
  }

  void release(int context) {
    states[context] = State.FREE;
  }

  /// Discards expired packets.
  void expire(long now) {
    for (int i = 0; i < contexts; i++) {
      if (states[i] != State.FREE && now - begun[i] >= LIFETIME_NANOS) {
        if (states[i] == State.COLLECTING) {
          counters.reassembliesLost++;
        }
        states[i] = State.FREE;
      }
    }
  }

  /// Returns the number of packets that are being reassembled.
  int open() {
    int open = 0;
    for (State state : states) {
      open += state == State.FREE ? 0 : 1;
    }
    return open;
  }

  void close() {
    block.release();
  }
}
