package sluice.isocket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.block.Block;

/// The unread input of a socket in stream order. Each segment is either a leased part of the chunk
/// in which it was received, or a copy. Guarded by the lock of its [SharedStream].
///
/// ```
/// head                                   head + count
///  │ chunk 7 [96,+512) │ copy [0,+1400) │ chunk 2 [0,+64) │
/// ```
///
/// The input is limited to [#PIECES] segments and about [#LIMIT_BYTES] bytes. Once a limit is
/// reached, [#isFull] returns true and the loop holds back further input.
final class Arrivals {
  static final int PIECES = 16;
  static final int LIMIT_BYTES = 256 << 10;

  /// The maximum number of leases of one socket, not counting the lease of its reader.
  static final int LEASES = 8;

  private static final int LEAST_COPY = 1024;

  private final @Nullable Block[] blocks = new Block[PIECES];
  private final @Nullable HeapBytes[] copies = new HeapBytes[PIECES];
  private final long[] offsets = new long[PIECES];
  private final int[] lengths = new int[PIECES];
  private int head;
  private int count;
  private int leased;
  private int bytes;

  int bytes() {
    return bytes;
  }

  boolean isFull() {
    return count == PIECES || bytes >= LIMIT_BYTES;
  }

  /// Returns true if another lease may be added.
  boolean mayLease() {
    return leased < LEASES;
  }

  /// Adds a segment. The caller's lease is transferred to this object.
  void add(Block block, long offset, int length) {
    bytes += length;
    if (count > 0) {
      int last = (head + count - 1) % PIECES;
      if (blocks[last] == block && offsets[last] + lengths[last] == offset) {
        lengths[last] += length;
        block.release(); // the piece already has a lease
        return;
      }
    }
    int at = next();
    blocks[at] = block;
    offsets[at] = offset;
    lengths[at] = length;
    leased++;
  }

  /// Adds a copy of a part of a view.
  void addCopy(View from, int start, int length) {
    bytes += length;
    int at = count == 0 ? -1 : (head + count - 1) % PIECES;
    HeapBytes copy = at < 0 ? null : copies[at];
    byte[] last = copy == null ? null : copy.array;
    if (last == null) {
      at = next();
      last = new byte[Math.max(LEAST_COPY, length)];
      copies[at] = new HeapBytes(last);
      offsets[at] = 0;
      lengths[at] = 0;
    }
    int used = (int) offsets[at] + lengths[at];
    if (last.length - used < length) {
      last = withRoom(at, last, length);
      used = lengths[at];
    }
    from.copyTo(start, last, used, length);
    lengths[at] += length;
  }

  /// Moves a copy to the front of an array that has space for `more` bytes behind it.
  private byte[] withRoom(int at, byte[] copy, int more) {
    int held = lengths[at];
    byte[] target = copy;
    if (copy.length < held + more) {
      target = new byte[Math.max(2 * copy.length, held + more)];
    }
    System.arraycopy(copy, (int) offsets[at], target, 0, held);
    offsets[at] = 0;
    copies[at] = new HeapBytes(target);
    return target;
  }

  private int next() {
    if (count == PIECES) {
      throw new IllegalStateException("the loop was to hold input back");
    }
    return (head + count++) % PIECES;
  }

  /// Copies bytes from the front of the input and removes them.
  ///
  /// @return the number of bytes copied, or 0 if there is no input
  int take(byte[] into, int from, int most) {
    int done = 0;
    while (done < most && count > 0) {
      int n = Math.min(most - done, lengths[head]);
      HeapBytes copy = copies[head];
      Block block = blocks[head];
      if (copy != null) {
        System.arraycopy(copy.array, (int) offsets[head], into, from + done, n);
      } else if (block != null) {
        MemorySegment.copy(
            block.segment(), ValueLayout.JAVA_BYTE, offsets[head], into, from + done, n);
      }
      done += n;
      advance(n);
    }
    return done;
  }

  private void advance(int n) {
    offsets[head] += n;
    lengths[head] -= n;
    bytes -= n;
    if (lengths[head] == 0) {
      Block block = blocks[head];
      removeHead();
      if (block != null) {
        block.release();
      }
    }
  }

  private void removeHead() {
    if (blocks[head] != null) {
      leased--;
    }
    blocks[head] = null;
    copies[head] = null;
    head = (head + 1) % PIECES;
    count--;
  }

  /// Returns the chunk that contains the first unread bytes, or null if there is no input or the
  /// first segment is a copy.
  @Nullable Block frontBlock() {
    return count == 0 ? null : blocks[head];
  }

  long frontOffset() {
    return offsets[head];
  }

  int frontLength() {
    return lengths[head];
  }

  /// Removes the first segment. Its lease is transferred to the caller.
  void removeFront() {
    bytes -= lengths[head];
    removeHead();
  }

  /// Discards all input and releases its leases.
  void clear() {
    while (count > 0) {
      advance(lengths[head]);
    }
  }
}
