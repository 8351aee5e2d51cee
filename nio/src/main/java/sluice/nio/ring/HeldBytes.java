package sluice.nio.ring;

import java.nio.ByteBuffer;

/// The bytes that a ring has received for one stream and that are not read yet: parts of pieces, in
/// order. Readers and the ring's thread call, so everything is under this object's lock.
///
/// Bytes that must not occupy a piece any longer are moved to private memory. All following bytes
/// go there too, until they are read.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `bytes` | readers, ring's thread | volatile | under this object's lock |
/// | `own` | readers, ring's thread | volatile: whether there is any | under this object's lock |
/// | the rest | readers, ring's thread | under this object's lock | the same |
final class HeldBytes {
  private static final byte[] NOTHING = {};
  private static final long[] NO_PARTS = {};

  /// The number of held bytes.
  private volatile int bytes;

  /// The first part: its offset in the region in the upper half, its length in the lower. Most
  /// channels have only this one.
  private long first;

  /// The parts behind the first: a circular array whose size is a power of two.
  private long[] rest = NO_PARTS;

  private int head;
  private int count;

  /// The number of bytes of the first part that were read.
  private int offset;

  private volatile byte[] own = NOTHING;
  private int ownStart;
  private int ownEnd;

  /// Returns the number of held bytes. Any thread may call.
  int bytes() {
    return bytes;
  }

  /// Returns true if bytes were moved to private memory and have not been read since. Any thread
  /// may call.
  boolean isMoved() {
    return own.length > 0;
  }

  /// Appends a part, and takes over the lease on its piece.
  ///
  /// @param part its offset in the region in the upper half, its length in the lower
  /// @param keep true if its piece may be kept until it is read
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

  /// Moves all held bytes to private memory, so that they occupy no piece.
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

  /// Copies as many bytes as there is room for, and advances the buffer's position.
  ///
  /// @return the number of bytes
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

  /// Drops all held bytes.
  synchronized void drop() {
    while (count > 0) {
      dropFirst();
    }
    dropOwn();
    bytes = 0;
  }
}
