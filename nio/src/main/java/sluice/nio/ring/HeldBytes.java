package sluice.nio.ring;

import java.nio.ByteBuffer;

/// What a ring has received for one stream and is not read yet: parts of pieces, in order. Readers
/// and the ring's thread call, which is why everything is under this object's lock.
///
/// Bytes that must not keep a piece any longer are moved to memory of their own; then all that
/// follow go there too, until they are read.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `bytes` | readers, ring's thread | volatile | under this object's lock |
/// | `own` | readers, ring's thread | volatile: whether there is any | under this object's lock |
/// | the rest | readers, ring's thread | under this object's lock | the same |
final class HeldBytes {
  private static final byte[] NOTHING = {};
  private static final long[] NO_PARTS = {};

  /// All that is held.
  private volatile int bytes;

  /// The first part: where it begins in the region in the upper half, its length in the lower; of
  /// most channels it is the only one.
  private long first;

  /// The parts behind it, a ring of which the size is a power of two.
  private long[] rest = NO_PARTS;

  private int head;
  private int count;

  /// Bytes of the first part that were read.
  private int offset;

  private volatile byte[] own = NOTHING;
  private int ownStart;
  private int ownEnd;

  /// Bytes that are held. Any thread.
  int bytes() {
    return bytes;
  }

  /// Whether bytes were moved to memory of their own, and not read since. Any thread.
  boolean isMoved() {
    return own.length > 0;
  }

  /// Takes a part, and the lease on its piece.
  ///
  /// @param part where it begins in the region in the upper half, its length in the lower
  /// @param keep whether its piece may be kept until it is read
  synchronized void push(long part, boolean keep) {
    if (!keep || isMoved()) {
      move();
      append(part, 0);
      release(part);
    } else if (count == 0) {
      first = part;
      count = 1;
    } else {
      if (count > rest.length) {
        grow();
      }
      rest[(head + count++ - 1) & (rest.length - 1)] = part;
    }
    bytes = bytes + (int) part;
  }

  private void grow() {
    long[] grown = new long[Math.max(4, 2 * rest.length)];
    for (int i = 0; i < rest.length; i++) {
      grown[i] = rest[(head + i) & (rest.length - 1)];
    }
    rest = grown;
    head = 0;
  }

  /// Moves all that is held to memory of its own, so that no piece is kept for it.
  synchronized void move() {
    while (count > 0) {
      append(first, offset);
      dropFirst();
    }
  }

  private void append(long part, int from) {
    int length = (int) part - from;
    if (own.length - ownEnd < length) {
      int kept = ownEnd - ownStart;
      byte[] larger = new byte[2 * (kept + length)];
      System.arraycopy(own, ownStart, larger, 0, kept);
      ownStart = 0;
      ownEnd = kept;
      own = larger;
    }
    RingMemory.bytes().get((int) (part >>> 32) + from, own, ownEnd, length);
    ownEnd += length;
  }

  private static void release(long part) {
    RingMemory.at((int) (part >>> 32)).release();
  }

  private void dropFirst() {
    release(first);
    offset = 0;
    if (--count > 0) {
      first = rest[head];
      head = (head + 1) & (rest.length - 1);
    }
  }

  /// Copies as much as there is room for, and moves the buffer's position.
  ///
  /// @return bytes
  synchronized int take(ByteBuffer to) {
    int length = to.remaining();
    int position = to.position();
    int done = 0;
    if (isMoved()) {
      done = Math.min(length, ownEnd - ownStart);
      to.put(position, own, ownStart, done);
      ownStart += done;
      if (ownStart == ownEnd) {
        dropOwn();
      }
    }
    while (count > 0 && done < length) {
      int part = Math.min(length - done, (int) first - offset);
      to.put(position + done, RingMemory.bytes(), (int) (first >>> 32) + offset, part);
      done += part;
      offset += part;
      if (offset == (int) first) {
        dropFirst();
      }
    }
    to.position(position + done);
    bytes = bytes - done;
    return done;
  }

  private void dropOwn() {
    own = NOTHING;
    ownStart = 0;
    ownEnd = 0;
  }

  /// Forgets all that is held.
  synchronized void drop() {
    while (count > 0) {
      dropFirst();
    }
    dropOwn();
    bytes = 0;
  }
}
