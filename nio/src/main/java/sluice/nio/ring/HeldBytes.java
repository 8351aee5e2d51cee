package sluice.nio.ring;

import java.nio.ByteBuffer;

/// The bytes that a ring has received for one stream and that have not been read yet, as a sequence
/// of parts of chunks. This object's lock guards all state, because both readers and the ring's
/// thread access it.
///
/// If bytes must no longer occupy a chunk, they are moved to private memory. All bytes received
/// after that are also stored there until everything has been read.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `bytes` | readers, ring's thread | volatile | under this object's lock |
/// | `own` | readers, ring's thread | volatile: whether there is any | under this object's lock |
/// | the rest | readers, ring's thread | under this object's lock | the same |
final class HeldBytes {
  private static final byte[] NOTHING = {};
  private static final long[] NO_PARTS = {};

  /// The number of bytes held.
  private volatile int bytes;

  /// The first part, with its offset in the region in the upper half and its length in the lower
  /// half. Most channels have at most one part.
  private long first;

  /// The parts after the first one, in a circular array whose size is a power of two.
  private long[] rest = NO_PARTS;

  private int head;
  private int count;

  /// The number of bytes of the first part that have already been read.
  private int offset;

  private volatile byte[] own = NOTHING;
  private int ownStart;
  private int ownEnd;

  /// Returns the number of bytes held. Any thread may call.
  int bytes() {
    return bytes;
  }

  /// Returns true if bytes have been moved to private memory and not all of them have been read.
  /// Any thread may call.
  boolean isMoved() {
    return own.length > 0;
  }

  /// Appends a part and takes ownership of the lease on its chunk.
  ///
  /// @param part the offset in the region in the upper half and the length in the lower half
  /// @param keep true if the chunk may remain occupied until the part has been read
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

  /// Moves all bytes to private memory so that they no longer occupy any chunk.
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

  /// Copies as many bytes as fit into the buffer and advances its position.
  ///
  /// @return the number of bytes copied
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

  /// Discards all bytes held.
  synchronized void drop() {
    while (count > 0) {
      dropFirst();
    }
    dropOwn();
    bytes = 0;
  }
}
